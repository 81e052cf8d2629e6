import type { ParsedArguments } from '../arguments/parsed-arguments.js';
import type { Options } from '../arguments/option.js';
import { UsageError } from '../errors/cli-error.js';
import { readManifests } from '../manifests/read-manifests.js';
import type { DesiredDefinition } from '../manifests/desired-definition.js';
import type { CommandSession } from '../session.js';

/** The options of commands that read definitions from files. */
export const manifestOptions: Options = {
  file: {
    ...{ short: 'f', value: 'PATH', multiple: true, completes: 'file' },
    about: 'file, or folder with all YAML and JSON files below it, or -',
  },
  prune: {
    about: 'also delete projections, pipelines and schemas that are in no file; never streams or keys',
  },
};

/** Reads the manifests in the files of `--file`. @throws UsageError */
export async function wantedOf(
  session: CommandSession,
  input: ParsedArguments,
): Promise<DesiredDefinition[]> {
  const paths = input.texts('file');
  if (!paths) throw new UsageError('-f FILE or -f FOLDER is missing.');
  const wanted = await readManifests(paths, session.terminal);
  if (wanted.length > 0) return wanted;
  throw new UsageError(`No definition was found in ${paths.join(', ')}.`);
}
