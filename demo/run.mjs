/** `npm run demo`: sets up the clone, then loads public data into the running system. */
import { fail, root, setUp } from '../local/setup.mjs';

try {
  process.chdir(root);
  await setUp({ kafka: false });
  await import('../dist/demo/main.js');
} catch (error) {
  fail(error);
}
