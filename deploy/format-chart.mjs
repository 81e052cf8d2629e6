/** `npm run format:chart`: generates the chart's README from its values. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fail, root } from '../local/setup.mjs';
import { installTools } from './tools/install.mjs';

try {
  await installTools();
  const program = join(root, '.tools', 'deploy', 'bin', 'helm-docs');
  const { status } = spawnSync(program, ['--chart-search-root', join(root, 'helm')], { stdio: 'inherit' });
  process.exit(status ?? 1);
} catch (error) {
  fail(error);
}
