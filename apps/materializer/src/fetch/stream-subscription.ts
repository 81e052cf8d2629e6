import type { StreamId } from '#event';
import type { Definitions } from '#registry';

interface StreamSubscriber {
  subscribe(ids: readonly StreamId[]): Promise<void>;
  failed(error: unknown): void;
}

/**
 * Keeps a consumer subscribed to all streams that are not being deleted, and subscribes again when the set of streams
 * changes. Changes during a running subscription are applied together after the subscription. Returns a function that
 * stops following the set of streams.
 */
export function followStreams(definitions: Definitions, target: StreamSubscriber): () => void {
  let subscribed = '';
  let running = false;
  const follow = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      for (let ids = live(definitions); ids.join() !== subscribed; ids = live(definitions)) {
        await target.subscribe(ids);
        subscribed = ids.join();
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

function live(definitions: Definitions): StreamId[] {
  return definitions
    .streams()
    .filter(({ state }) => state === 'live')
    .map(({ id }) => id)
    .sort();
}
