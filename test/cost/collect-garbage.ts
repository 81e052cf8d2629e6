import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into the apps of the cost suite (`node --import`). Collects the garbage of the process whenever the process
 * has grown by `stepBytes`. So the peak of its memory shows what a request holds, and not when V8 happened to collect.
 * What a request allocates without returning to the event loop counts as held.
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
