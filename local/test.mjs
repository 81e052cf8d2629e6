/** `npm test`: sets up the clone, then runs every spec; arguments are passed to vitest. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fail, root, setUp } from './setup.mjs';

async function main() {
  await setUp();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
