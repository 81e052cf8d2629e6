import { execFile } from 'node:child_process';
import { cp, mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Stage } from './dockerfile.js';

const run = promisify(execFile);

/**
 * Does what `docker build` does with these stages, with a folder of its own in place of each stage's file system, and
 * this machine's Node and npm in place of the base image's. Returns where the last stage's WORKDIR is.
 * @throws with the output of a command that fails.
 */
export async function buildOutsideDocker(stages: Stage[], into: string): Promise<string> {
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

/** Of the environment only what a shell needs: no setting of the machine, or of the npm that runs this. */
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
