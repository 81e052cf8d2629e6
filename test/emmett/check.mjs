/**
 * `npm run check:emmett`: runs emmett's own specs of event stores and command handlers with the event store of
 * examples/emmett. It clones the version of emmett that is installed; TEST_EMMETT names a clone instead.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runTool } from '../../local/run-tool.mjs';
import { fail, root, setUp, step } from '../../local/setup.mjs';

const repository = 'https://github.com/event-driven-io/emmett.git';

/** Resolves with the folder of the clone. It is cloned to a folder that is then renamed, so that it is complete. */
async function clone() {
  const manifest = join(root, 'node_modules', '@event-driven-io', 'emmett', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const folder = join(root, '.tools', `emmett-${version}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial-${process.pid}`;
  const args = ['clone', '--quiet', '--depth', '1', '--branch', version, repository, partial];
  try {
    await step('emmett is cloned', () => runTool('git', args, 'git could not clone emmett'));
    renameSync(partial, folder);
    return folder;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function main() {
  await setUp();
  const env = { ...process.env, TEST_EMMETT: process.env.TEST_EMMETT || (await clone()) };
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const spec = join('dist', 'test', 'emmett', 'own-specs.e2e.spec.js');
  const args = ['run', '--project', 'e2e', '--root', root, spec, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
