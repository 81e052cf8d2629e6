import type { IssuedApiKey, Tributary } from '#client';
import type { ParsedArguments } from '../arguments/parsed-arguments.js';
import { UsageError } from '../errors/cli-error.js';
import { requireApplicable } from '../manifests/require-applicable.js';
import { IssuedKeysFile } from '../manifests/issued-keys-file.js';
import { planOf, type PlanStep } from '../manifests/plan.js';
import { members } from '../output/column.js';
import { keyResource } from '../resources/key.js';
import type { CommandSession } from '../session.js';
import type { Command } from './command.js';
import { manifestOptions, wantedOf } from './manifest-option.js';

const done = { create: 'created', change: 'changed', delete: 'deleted', unchanged: 'unchanged' } as const;

export const apply: Command = {
  name: 'apply',
  summary: 'Changes definitions to match files. Repeating it changes nothing.',
  options: {
    ...manifestOptions,
    'dry-run': { about: 'show the planned changes, and change nothing' },
    'keys-to': {
      ...{ value: 'FILE', completes: 'file' },
      about: 'new file for issued keys, which only you can read',
    },
  },
  details:
    'Streams come first, then schemas, projections, pipelines and keys; a pipeline comes after those whose output it reads.\nThe first refusal ends the command. Completed changes remain, and the next run continues.',
  effect: 'destroys',
  async run(session, input) {
    const wanted = await wantedOf(session, input);
    const client = await session.client();
    const { signal } = session;
    const steps = await planOf(client, wanted, { prune: input.flag('prune'), signal });
    requireApplicable(steps);
    const columns = members('action', 'kind', 'name');
    if (input.flag('dry-run')) return session.output.list(steps.map(planned), columns);
    await requireConfirmation(session, steps);
    await session.output.list(executed({ session, client, input }, steps), columns, { live: true });
  },
};

function planned({ action, resource: { kind }, name }: PlanStep): object {
  return { action, kind, name };
}

/** Requires confirmation if the profile is protected and the steps delete something or shorten a retention. */
async function requireConfirmation(session: CommandSession, steps: readonly PlanStep[]): Promise<void> {
  const destroys = steps.some(
    ({ action, resource, differences }) =>
      action === 'delete' ||
      (resource.kind === 'stream' && differences.some(({ path }) => path.startsWith('/retention'))),
  );
  const { profile } = await session.connection();
  if (destroys && profile) await session.requireConfirmed(profile.name);
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
  step: PlanStep,
  keyFile?: IssuedKeysFile,
): Promise<void> {
  const { action, resource, name, definition } = step;
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
