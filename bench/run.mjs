/** `npm run bench`: sets up the clone, then measures. */
import { fail, root, setUp } from '../local/setup.mjs';

try {
  process.chdir(root);
  await setUp();
  await import('../dist/bench/src/main.js');
} catch (error) {
  fail(error);
}
