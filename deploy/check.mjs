/**
 * `npm run check:deploy`: installs missing tools, then checks the image, the compose file, the chart, the rules and the
 * dashboards.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fail, root, setUp } from '../local/setup.mjs';
import { debianProgram } from './checks/tools.mjs';

/** Fetches Prometheus once, before two checks fetch it concurrently. */
function fetchPrometheus() {
  try {
    debianProgram('prometheus', 'prometheus');
  } catch {
    // The checks that need Prometheus fail with the reason.
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
