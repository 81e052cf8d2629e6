import { gauge } from '#telemetry';

const idWindowSeconds = gauge('tributary_id_window_seconds', {
  help: 'Seconds for which a repeated event id is detected, by stream; the shortest time of its partitions.',
  labelNames: ['stream'],
});

/** An assigned partition, whose id window and history recognise repeated event ids. */
export interface PartitionWithIdWindow {
  readonly name: string;
  readonly window: { lengthAt(now: number): number };
  readonly history: { lengthAt(now: number): number };
}

/**
 * Exports, for each stream, the length of the id window in seconds: the shortest id window of the stream's partitions
 * in this process.
 * @param now Milliseconds since 1970.
 */
export function exportIdWindows(partitions: Iterable<PartitionWithIdWindow>, now: number): void {
  const shortest = new Map<string, number>();
  for (const { name, window, history } of partitions) {
    const length = Math.max(window.lengthAt(now), history.lengthAt(now));
    shortest.set(name, Math.min(shortest.get(name) ?? Infinity, length));
  }
  idWindowSeconds.reset();
  for (const [stream, ms] of shortest) idWindowSeconds.set({ stream }, ms / 1000);
}
