import type { TimeSlice } from '#async';
import { withinBudget, type StepBudget } from '#cel';
import type { StoredEvent } from '#event';
import { LiveEvent, type LiveEventJsonFormat, type LiveFilter } from './live-filter.js';
import type { LivePosition } from './live-position.js';
import { filterTooExpensive } from './live-problems.js';
import { eventMessage } from './server-sent-event-writer.js';
import { ResumeIdSpacer } from './resume-id-spacer.js';

/** Newly stored events that are delivered to the groups of live streams, in the order of the log. */
export interface LiveBatch {
  events: ReadonlyMap<string, readonly LiveEvent[]>;
  /** For each partition, the offset up to which events were read from the store, whether they match or not. */
  reached: readonly { stream: string; partition: number; next: number }[];
  /** Returns the key of a stream in positions; undefined when the stream was deleted or replaced. */
  keyOf: (stream: string) => string | undefined;
}

/** Limits for the work on one batch. */
interface BatchWorkLimits {
  /** Time slice of the whole batch: when it is used up, other work of the process runs before the next event. */
  slice: Pick<TimeSlice, 'over' | 'end'>;
  /** CEL evaluation steps that the filter of this group may use for the batch. */
  budget: StepBudget;
}

/** Server-Sent Events for all live streams of a group, which share one copy of the bytes. */
export interface LiveMessages {
  bytes: Buffer;
  events: number;
}

/** One live stream that receives the messages of its group. */
export interface LiveMessagesListener {
  take(chunk: LiveMessages): void;
  /** Reports that the following events cannot be evaluated. When it returns, the listener is no longer registered. */
  fail(error: Error): void;
}

/** Number of characters after which the messages collected so far are delivered. */
const partCharacters = 64 * 1024;
/**
 * Characters that one evaluation of an expression counts as. An evaluation may take long even for a small event, so the
 * turn checks the clock after each one.
 */
const sizeOfEvaluation = 16 * 1024;

/** The open live streams with the same filters, access and format: events are selected and serialized once for all. */
export class SameFilterLiveStreams {
  /** Listeners that have received everything up to the cursor. */
  readonly listeners = new Set<LiveMessagesListener>();
  /** Number of open streams, including those that are still catching up. */
  members = 0;
  /** Position up to which the log was followed, in the streams of this group; undefined until it is known. */
  cursor: LivePosition | undefined;

  private readonly ids = new ResumeIdSpacer();
  private texts: string[] = [];
  private characters = 0;

  /** @param keyId id of the key that opened the group and is charged for its evaluation; null on a port without keys */
  constructor(
    readonly filter: LiveFilter,
    readonly keyId: string | null = null,
    readonly format: LiveEventJsonFormat = 'event',
  ) {}

  /**
   * Delivers matching events in parts. Before other work may run, it delivers all evaluated events and the cursor is
   * past them: a stream that joins at the cursor continues with the next event. At the end, the cursor is past the
   * whole batch.
   */
  async deliver({ events, reached, keyOf }: LiveBatch, { slice, budget }: BatchWorkLimits): Promise<void> {
    try {
      for (const [key, event] of this.desired(events, keyOf)) {
        if (slice.over(event.size + (this.filter.evaluates ? sizeOfEvaluation : 0))) {
          this.flush();
          await slice.end();
        }
        if (this.listeners.size === 0) break;
        if (keyOf(event.event.stream) === key) this.evaluate(event, key, budget);
      }
      this.flush();
    } catch (error) {
      this.flush();
      for (const listener of [...this.listeners]) listener.fail(error as Error);
    }
    // Nothing has been awaited since the last evaluation. So no stream has joined at a cursor that is now moved past
    // the batch.
    for (const { stream, partition, next } of reached) {
      const key = keyOf(stream);
      if (key !== undefined && this.filter.wants(stream)) this.cursor?.set(key, partition, next);
    }
  }

  private *desired(
    events: LiveBatch['events'],
    keyOf: LiveBatch['keyOf'],
  ): Generator<[key: string, event: LiveEvent]> {
    for (const [stream, those] of events) {
      const key = keyOf(stream);
      if (key === undefined || !this.filter.wants(stream)) continue;
      for (const event of those) yield [key, event];
    }
  }

  /**
   * Evaluates one event, and moves the cursor past it.
   * @throws ProblemError `query_too_expensive` when the budget is spent
   */
  private evaluate(event: LiveEvent, key: string, budget: StepBudget): void {
    const { cursor, filter } = this;
    const matches = withinBudget(budget, () => filter.matches(event));
    if (filter.evaluates && budget.isSpent) throw filterTooExpensive();
    if (!cursor) return;
    cursor.set(key, event.event.partition, event.event.offset + 1);
    if (!matches) return;
    const json = event.json(this.format);
    const id = this.ids.idOf(json.length, () => cursor.toString());
    const text = eventMessage(json, id);
    this.texts.push(text);
    this.characters += text.length;
    if (this.characters >= partCharacters) this.flush();
  }

  private flush(): void {
    if (this.texts.length === 0) return;
    const chunk = { bytes: Buffer.from(this.texts.join('')), events: this.texts.length };
    [this.texts, this.characters] = [[], 0];
    for (const listener of [...this.listeners]) listener.take(chunk);
  }
}

/** Returns events in the form that groups share, by stream, in the given order. */
export function liveEventsByStream(events: readonly StoredEvent[]): Map<string, LiveEvent[]> {
  const streams = new Map<string, LiveEvent[]>();
  for (const event of events) {
    const known = streams.get(event.stream);
    if (known) known.push(new LiveEvent(event));
    else streams.set(event.stream, [new LiveEvent(event)]);
  }
  return streams;
}
