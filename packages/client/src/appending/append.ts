import { TributaryError } from '../errors/tributary-error.js';
import type { CallOptions } from '../http/http-client.js';
import type { Producer } from '../producer/producer.js';
import type { EntityAddress, NewEntityEvent } from '../types/index.js';

export interface AppendOptions extends CallOptions {
  /** Milliseconds after which an event without an answer is rejected with an unknown outcome; default 30 000. */
  deliveryTimeoutMs?: number;
}

/** Events to append to an entity that has this version. */
interface AppendInput {
  entity: EntityAddress;
  expectedVersion: number;
  events: readonly NewEntityEvent[];
}

/**
 * Sends the events one after the other, each when the one before was accepted, and returns their versions. The first
 * error ends the append, and says how many events were written.
 */
export async function append(
  producer: Pick<Producer, 'send'>,
  { entity: { stream, entity_id }, expectedVersion, events }: AppendInput,
  options: CallOptions,
): Promise<number[]> {
  const versions: number[] = [];
  try {
    let expected = expectedVersion;
    for (const event of events) {
      const sent = { ...event, stream, entity_id };
      const written = await producer.send(sent, { ...options, expectedVersion: expected });
      // A repeated event has the version that it got the first time.
      expected = written.version ?? expected + 1;
      versions.push(expected);
    }
  } catch (error) {
    if (error instanceof TributaryError) error.appended = versions.length;
    throw error;
  }
  return versions;
}
