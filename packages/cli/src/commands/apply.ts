import type { IssuedApiKey, Tributary } from '#client';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import { requireApplicable, planOf, type PlanStep } from '../manifests/plan.js';
import { IssuedKeysFile } from '../manifests/issued-keys-file.js';
import { members } from '../output/formats.js';
import { keyResource } from '../resources/index.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';
import { exitCodes } from '../errors/exit-code.js';
import type { Options } from '../arguments/options.js';
import { readManifests } from '../manifests/read-manifests.js';

/** The options of commands that read definitions from files. */
const manifestOptions: Options = {
  file: {
    ...{ short: 'f', value: 'PATH', multiple: true, completes: 'file' },
    about: 'file, or folder with all YAML and JSON files below it, or -',
  },
  prune: {
    about:
      'also delete projections, pipelines, subscriptions and schemas that are in no file; never streams or keys',
  },
};

/** Compares the definitions in the files of `--file` with the server's definitions. @throws UsageError */
async function planFor(session: CommandSession, input: ParsedArguments) {
  const paths = input.texts('file');
  if (!paths) throw new UsageError('-f FILE or -f FOLDER is missing.');
  const desired = await readManifests(paths, session.terminal);
  if (desired.length === 0) throw new UsageError(`No definition was found in ${paths.join(', ')}.`);
  const client = await session.client();
  const steps = await planOf(client, desired, { prune: input.flag('prune'), signal: session.signal });
  return { client, steps };
}

const done = { create: 'created', change: 'changed', delete: 'deleted', unchanged: 'unchanged' } as const;

export const apply: Command = {
  name: 'apply',
  summary: 'Changes definitions to match files. Repeating it changes nothing.',
  options: {
    ...manifestOptions,
    'dry-run': { about: 'show the planned changes, and change nothing' },
    'keys-to': {
      value: 'FILE',
      completes: 'file',
      about: 'new file for issued keys, which only you can read',
    },
  },
  details:
    'Streams come first, then schemas, projections, pipelines, subscriptions and keys; a pipeline comes after those whose output it reads.\nThe first refusal ends the command. Completed changes remain, and the next run continues.',
  effect: 'destroys',
  async run(session, input) {
    const { client, steps } = await planFor(session, input);
    requireApplicable(steps);
    const columns = members('action', 'kind', 'name');
    if (input.flag('dry-run')) {
      const planned = steps.map(({ action, resource: { kind }, name }) => ({ action, kind, name }));
      return session.output.list(planned, columns);
    }
    await requireConfirmation(session, steps);
    await session.output.list(executed({ session, client, input }, steps), columns, { live: true });
  },
};

/** Requires a confirmation if the steps delete something or change a retention. */
async function requireConfirmation(session: CommandSession, steps: readonly PlanStep[]): Promise<void> {
  const destroys = steps.some(
    ({ action, resource, differences }) =>
      action === 'delete' ||
      (resource.kind === 'stream' && differences.some(({ path }) => path.startsWith('/retention'))),
  );
  const { profile } = await session.connection();
  const deleted = steps.filter(({ action }) => action === 'delete');
  const names = deleted.map(({ resource: { kind }, name }) => `${kind} ${name}`).join(', ');
  const what = names
    ? `Deletes ${names}.`
    : 'Changes the retention of streams: events beyond it are removed.';
  if (destroys) await session.requireConfirmed(profile?.name, { what, inPipes: false });
}

interface Context {
  session: CommandSession;
  client: Tributary;
  input: ParsedArguments;
}

async function* executed(context: Context, steps: readonly PlanStep[]): AsyncGenerator<object> {
  const keyFile = await keyFileOf(context.input, steps);
  try {
    for (const step of steps) {
      await execute(context, step, keyFile);
      yield { action: done[step.action], kind: step.resource.kind, name: step.name };
    }
  } finally {
    await keyFile?.close();
  }
}

async function execute(
  { session, client }: Context,
  { action, resource, name, definition }: PlanStep,
  keyFile?: IssuedKeysFile,
): Promise<void> {
  const { signal } = session;
  if (action === 'delete') return resource.delete(client, name, { signal });
  if (action === 'change') await resource.change!(client, definition, { signal });
  if (action !== 'create') return;
  const made = await resource.create(client, definition, { signal });
  if (resource === keyResource) await keyFile!.add(made as IssuedApiKey);
}

/**
 * Creates the file for issued keys. A key is shown only once, so the file must exist before the key is issued.
 * @throws UsageError
 */
async function keyFileOf(
  input: ParsedArguments,
  steps: readonly PlanStep[],
): Promise<IssuedKeysFile | undefined> {
  const issued = steps.filter(({ action, resource }) => action === 'create' && resource === keyResource);
  if (issued.length === 0) return undefined;
  const file = input.text('keys-to');
  if (file) return IssuedKeysFile.create(file);
  const names = issued.map(({ name }) => name).join(', ');
  throw new UsageError(`Keys would be issued (${names}): name a new file for them, --keys-to FILE.`);
}

export const diff: Command = {
  name: 'diff',
  summary: 'Shows the differences between definitions and files; exits with 1 if there are any.',
  options: manifestOptions,
  effect: 'reads',
  answersWithCode: true,
  async run(session, input) {
    const { steps } = await planFor(session, input);
    const rows = steps.flatMap(rowsOf);
    await session.output.list(rows, members('action', 'kind', 'name', 'path', 'found', 'wanted'));
    return rows.length > 0 ? exitCodes.differs : exitCodes.done;
  },
};

function rowsOf({ action, resource: { kind }, name, definition, differences }: PlanStep): object[] {
  if (action === 'create') return [{ action, kind, name, path: '', found: null, wanted: definition }];
  if (action === 'delete') return [{ action, kind, name, path: '', found: definition, wanted: null }];
  return differences.map(({ path, found = null, wanted = null }) => {
    return { action, kind, name, path, found, wanted };
  });
}
