/** `npm run check:deploy`: sets up what is missing, then checks the image, the compose file, the chart, and what Prometheus is told. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fail, root, setUp } from '../local/setup.mjs';
import { debianProgram } from './checks/tools.mjs';

/** Once, before two checks want it at the same time. */
function fetchPrometheus() {
  try {
    debianProgram('prometheus', 'prometheus');
  } catch {
    // The checks that need it fail, and say why.
  }
}

async function main() {
  await setUp();
  const { installTools } = await import('./tools/install.mjs');
  await installTools();
  fetchPrometheus();
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const config = join(root, 'deploy', 'vitest.config.mjs');
  const args = ['run', '--config', config, '--root', root, ...process.argv.slice(2)];
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('close', (code) => process.exit(code ?? 1));
}

main().catch(fail);
