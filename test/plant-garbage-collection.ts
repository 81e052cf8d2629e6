import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into an app by a spec that judges its memory (`node --import`). Collects the garbage of the process whenever
 * the process has grown by `stepBytes`. So the peak of its memory shows what it holds, and not when V8 happened to
 * collect. What it allocates without returning to the event loop counts as held.
 */
const stepBytes = 24 * 2 ** 20;
const checkMs = 5;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let base = process.memoryUsage.rss();

setInterval(() => {
  const now = process.memoryUsage.rss();
  if (now < base) base = now;
  if (now - base < stepBytes) return;
  collectGarbage();
  base = process.memoryUsage.rss();
}, checkMs).unref();
