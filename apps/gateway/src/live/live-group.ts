import type { LiveEvent } from './live-event.js';
import type { LiveFilter } from './live-filter.js';
import type { LivePosition } from './live-position.js';
import { eventMessage } from './server-sent.js';

/** What has become visible, in the order of the log. */
export interface LiveBatch {
  events: ReadonlyMap<string, readonly LiveEvent[]>;
  /** How far partitions have been read, events that nobody wants included. */
  reached: readonly { stream: string; partition: number; next: number }[];
  keyOf(stream: string): string;
}

/** Messages on their way to everyone who asked the same: their bytes are there once. */
export interface LiveChunk {
  bytes: Buffer;
  events: number;
}

export interface LiveListener {
  take(chunk: LiveChunk): void;
  /** The events cannot be chosen; nothing of them was handed on. */
  fail(error: unknown): void;
}

/** Those who asked the same question with the same access: events are chosen and written out once for all of them. */
export class LiveGroup {
  /** Those who have seen everything up to the cursor. */
  readonly listeners = new Set<LiveListener>();
  /** Open streams, those that are not up to date included. */
  members = 0;
  /** Up to where the log was followed, in the streams of this group; undefined until that is known. */
  cursor: LivePosition | undefined;

  constructor(readonly filter: LiveFilter) {}

  /** Hands on what matches. The cursor is past all of the batch when the listeners are called. */
  take(batch: LiveBatch): void {
    try {
      const texts = this.messagesOf(batch);
      for (const { stream, partition, next } of batch.reached)
        if (this.filter.wants(stream)) this.cursor?.set(batch.keyOf(stream), partition, next);
      if (texts.length === 0) return;
      const chunk = { bytes: Buffer.from(texts.join('')), events: texts.length };
      for (const listener of [...this.listeners]) listener.take(chunk);
    } catch (error) {
      for (const listener of [...this.listeners]) listener.fail(error);
    }
  }

  private messagesOf(batch: LiveBatch): string[] {
    const { cursor, filter, listeners } = this;
    const texts: string[] = [];
    if (!cursor || listeners.size === 0) return texts;
    for (const [stream, events] of batch.events) {
      if (!filter.wants(stream)) continue;
      const key = batch.keyOf(stream);
      for (const event of events) {
        if (!filter.matches(event)) continue;
        cursor.set(key, event.event.partition, event.event.offset + 1);
        texts.push(eventMessage(cursor, event));
      }
    }
    return texts;
  }
}
