import { isMainThread } from 'node:worker_threads';

// Imported into each app with `--import`: keeps the main thread of a processor busy until it has started a further thread.
const [roundMs, pauseMs] = [19, 1];

if (isMainThread && process.argv[1]?.includes('processor')) {
  let alone = true;
  process.once('worker', () => (alone = false));
  const spin = (): void => {
    const end = performance.now() + roundMs;
    while (performance.now() < end);
    if (alone) setTimeout(spin, pauseMs);
  };
  setTimeout(spin, pauseMs);
}
