import { execFile } from 'node:child_process';
import { cp, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { DockerfileStage } from './dockerfile.js';

const run = promisify(execFile);

/**
 * Runs the stages as `docker build` does, with a folder for the file system of each stage, and with this machine's Node
 * and npm instead of the base image's. Returns the folder of the last stage's WORKDIR.
 * @throws Error with the output of a failed command
 */
export async function buildOutsideDocker(stages: DockerfileStage[], into: string): Promise<string> {
  const roots = new Map<string | undefined, string>();
  let folder = into;
  for (const stage of stages) {
    const root = join(into, stage.name ?? 'image');
    roots.set(stage.name, root);
    folder = root;
    for (const { name, text } of stage.instructions) {
      if (name === 'WORKDIR') await mkdir((folder = join(root, text)), { recursive: true });
      if (name === 'RUN') await runIn(folder, text);
      if (name === 'COPY') await copy(text, { roots, folder });
    }
  }
  return folder;
}

/**
 * Runs a command with only PATH and HOME, without other variables of this machine or of the npm that runs the check.
 */
async function runIn(cwd: string, command: string): Promise<void> {
  const { PATH, HOME } = process.env;
  await run('sh', ['-c', command], { cwd, env: { PATH, HOME }, maxBuffer: 1 << 26 });
}

async function copy(
  text: string,
  { roots, folder }: { roots: Map<string | undefined, string>; folder: string },
): Promise<void> {
  const [, from, rest = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  const names = rest.split(/\s+/);
  const to = names.pop() ?? '';
  const context = from === undefined ? process.cwd() : (roots.get(from) ?? '');
  for (const name of names) {
    const source = join(context, name);
    const intoFolder = to.endsWith('/') && !(await stat(source)).isDirectory();
    await cp(source, join(folder, to, intoFolder ? basename(name) : ''), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}
