/**
 * `npm run draw:console`: draws every view of the console, with planted data, to docs/images. Light and dark, wide and
 * narrow.
 */
import { spawnSync } from 'node:child_process';

const args = [
  'local/test.mjs',
  '--project',
  'e2e',
  'dist/test/console/views.e2e.spec.js',
  '-t',
  'pixels wide',
];
const { status } = spawnSync(process.execPath, args, {
  stdio: 'inherit',
  env: { ...process.env, CONSOLE_PICTURES: 'docs/images/console' },
});
process.exitCode = status ?? 1;
