import { isMainThread } from 'node:worker_threads';

// Imported into each app with `--import`: keeps the main thread of a processor busy after its start, so that it starts a further thread.
const busyMs = 15_000;
const [roundMs, pauseMs] = [95, 5];

if (isMainThread && process.argv[1]?.includes('processor')) {
  const calm = performance.now() + busyMs;
  const spin = (): void => {
    const end = performance.now() + roundMs;
    while (performance.now() < end);
    if (end < calm) setTimeout(spin, pauseMs);
  };
  setTimeout(spin, pauseMs);
}
