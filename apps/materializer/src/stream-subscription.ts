import type { Definitions } from '#definitions';

/**
 * Keeps a consumer subscribed to all streams there are: once at the start, and again whenever their set changes.
 * Changes that come while one is under way are taken together. Returns what ends it.
 */
export function followStreams(
  definitions: Definitions,
  target: { subscribe(streams: readonly string[]): Promise<void>; failed(error: unknown): void },
): () => void {
  let subscribed = '';
  let running = false;
  const follow = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      for (let streams = names(definitions); streams.join() !== subscribed; streams = names(definitions)) {
        await target.subscribe(streams);
        subscribed = streams.join();
      }
    } catch (error) {
      target.failed(error);
    } finally {
      running = false;
    }
  };
  void follow();
  return definitions.onChange(() => void follow());
}

function names(definitions: Definitions): string[] {
  return definitions
    .streams()
    .map(({ stream }) => stream)
    .sort();
}
