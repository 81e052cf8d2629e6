import type { Definitions } from '#registry';

export interface StreamTarget {
  subscribe(streams: readonly string[]): Promise<void>;
  /** This stream is being deleted, or another one has its name now. */
  forget(stream: string): void;
  failed(error: unknown): void;
}

/**
 * Keeps a consumer subscribed to all streams that are not being deleted: once at the start, and again whenever their set
 * changes. Changes that come while one is under way are taken together, but for what is to be forgotten: that is said at
 * once. Returns what ends it.
 */
export function followStreams(definitions: Definitions, target: StreamTarget): () => void {
  let known = live(definitions);
  let subscribed = '';
  let running = false;
  const forgetOthers = (): void => {
    const now = live(definitions);
    for (const [stream, createdAt] of known) if (now.get(stream) !== createdAt) target.forget(stream);
    known = now;
  };
  const follow = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      for (let streams = names(known); streams.join() !== subscribed; streams = names(known)) {
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
  return definitions.onChange(() => {
    forgetOthers();
    void follow();
  });
}

/** When each was made: another one of its name was made later. */
function live(definitions: Definitions): Map<string, string> {
  return new Map(
    definitions
      .streams()
      .filter(({ state }) => state === 'live')
      .map(({ stream, created_at }) => [stream, created_at]),
  );
}

function names(streams: ReadonlyMap<string, string>): string[] {
  return [...streams.keys()].sort();
}
