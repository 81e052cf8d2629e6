import { setTimeout as sleep } from 'node:timers/promises';
import { NotYetMaterializedError, type Tributary } from '#client';
import type { DemoEvent } from './event.js';

/** Batch size and concurrency of a load. */
interface LoadOptions {
  /** The maximum number of events in a request. */
  batchSize: number;
  /** The number of concurrent requests. */
  concurrency: number;
  /** Called after each acknowledgement with the number of newly acknowledged events. */
  onWritten: (count: number) => void;
}

/** Writes the events. Resolves when all are acknowledged. @throws the first error of an event */
export async function load(
  client: Tributary,
  events: readonly DemoEvent[],
  { batchSize, concurrency, onWritten }: LoadOptions,
): Promise<void> {
  await using producer = client.producer({ batchEvents: batchSize, lanes: concurrency });
  const failures: unknown[] = [];
  for (const event of events) {
    await producer.ready();
    if (failures.length > 0) break;
    producer.send(event).then(
      () => onWritten(1),
      (error: unknown) => failures.push(error),
    );
  }
  await producer.flush();
  if (failures.length > 0) throw failures[0];
}

/** Returns the ids of the stream's events that can be queried. */
export async function storedIds(client: Tributary, stream: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { event_id } of client.events({ stream, limit: 10_000 })) ids.add(event_id);
  return ids;
}

/**
 * Waits until all events that the client has written to the stream can be queried.
 * @throws NotYetMaterializedError if that takes longer than the limit
 */
export async function queryable(client: Tributary, stream: string, limitMs: number): Promise<void> {
  const wait_for = client.afterWrites(stream);
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      await client.events({ stream, limit: 1, wait_for }).first();
      return;
    } catch (error) {
      if (!(error instanceof NotYetMaterializedError) || Date.now() > deadline) throw error;
      await sleep(200);
    }
  }
}
