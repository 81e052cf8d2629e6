import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type ApiClient } from './client.js';
import type { DemoEvent } from './event.js';

export interface LoadOptions {
  batchSize: number;
  /** Requests at a time. */
  concurrency: number;
  /** Called after each acknowledged batch. */
  onWritten: (count: number) => void;
}

/** Writes the events as batches. Resolves with the last offset written in each partition. */
export async function load(
  client: ApiClient,
  events: readonly DemoEvent[],
  options: LoadOptions,
): Promise<Map<number, number>> {
  const last = new Map<number, number>();
  let next = 0;
  const sendBatches = async (): Promise<void> => {
    while (next < events.length) {
      const batch = events.slice(next, (next += options.batchSize));
      for (const { partition, offset } of await client.write(batch)) {
        last.set(partition, Math.max(offset, last.get(partition) ?? -1));
      }
      options.onWritten(batch.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, sendBatches));
  return last;
}

/** Ids of the stream's events that can be queried already, read page by page. */
export async function storedIds(client: ApiClient, stream: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const path = `events/query?${new URLSearchParams({ stream, limit: '10000', ...(cursor && { cursor }) }).toString()}`;
    const page: { events: { event_id: string }[]; next_cursor?: string | null } = await client.read(path);
    for (const event of page.events) ids.add(event.event_id);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return ids;
}

/** Waits until everything that was written can be queried. @throws ApiError when that takes longer than the limit. */
export async function queryable(
  client: ApiClient,
  written: { stream: string; last: ReadonlyMap<number, number> },
  limitMs: number,
): Promise<void> {
  const query = new URLSearchParams({ stream: written.stream, limit: '1' });
  for (const [partition, offset] of written.last) {
    query.append('wait_for', `${written.stream}:${partition}:${offset}`);
  }
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      await client.read(`events/query?${query.toString()}`);
      return;
    } catch (error) {
      const late = error instanceof ApiError && error.status === 504;
      if (!late || Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}
