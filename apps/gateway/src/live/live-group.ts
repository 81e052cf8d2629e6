import type { Turn } from '#async';
import { withinBudget, type StepBudget } from '#cel';
import type { EventFormat } from '../events/event-parameters.js';
import type { LiveEvent } from './live-event.js';
import type { LiveFilter } from './live-filter.js';
import type { LivePosition } from './live-position.js';
import { tooCostly } from './live-problems.js';
import { eventMessage } from './server-sent.js';
import { SpacedIds } from './spaced-ids.js';

/** What has become visible, in the order of the log. */
export interface LiveBatch {
  events: ReadonlyMap<string, readonly LiveEvent[]>;
  /** How far partitions have been read, events that nobody wants included. */
  reached: readonly { stream: string; partition: number; next: number }[];
  /** What the stream is called in positions; undefined once it has gone, or is another one. */
  keyOf: (stream: string) => string | undefined;
}

/** What the work on one batch may take. */
export interface LiveBounds {
  /** Of the whole batch: other work of the process is done between two events. */
  turn: Pick<Turn, 'over' | 'end'>;
  /** Of the evaluations of this group. */
  budget: StepBudget;
}

/** Messages on their way to everyone who asked the same: their bytes are there once. */
export interface LiveChunk {
  bytes: Buffer;
  events: number;
}

export interface LiveListener {
  take(chunk: LiveChunk): void;
  /** The events that follow cannot be chosen. It listens no more when this returns. */
  fail(error: Error): void;
}

/** Characters that are handed on at a time, and one event. */
const partCharacters = 64 * 1024;
/** An evaluation may take long, whatever the size of its event: the turn looks at the clock after each. */
const sizeOfEvaluation = 16 * 1024;

/** Those who asked the same question with the same access and format: events are chosen and written out once for all of them. */
export class LiveGroup {
  /** Those who have seen everything up to the cursor. */
  readonly listeners = new Set<LiveListener>();
  /** Open streams, those that are not up to date included. */
  members = 0;
  /** Up to where the log was followed, in the streams of this group; undefined until that is known. */
  cursor: LivePosition | undefined;

  private readonly ids = new SpacedIds();
  private texts: string[] = [];
  private characters = 0;

  /** @param keyId Of the key that opened it, which is charged for what it costs; null on a port without keys. */
  constructor(
    readonly filter: LiveFilter,
    readonly keyId: string | null = null,
    readonly format: EventFormat = 'event',
  ) {}

  /**
   * Hands on what matches, in parts. Whenever others get their turn, what was evaluated is handed on and the cursor is
   * past it: whoever comes to the cursor meanwhile goes on with the next event. In the end it is past all of the batch.
   */
  async take(batch: LiveBatch, bounds: LiveBounds): Promise<void> {
    try {
      for (const [key, event] of this.wanted(batch)) {
        if (bounds.turn.over(this.sizeOf(event))) {
          this.handOn();
          await bounds.turn.end();
        }
        if (this.listeners.size === 0) break;
        if (batch.keyOf(event.event.stream) === key) this.evaluate(event, key, bounds.budget);
      }
      this.handOn();
    } catch (error) {
      this.fail(error as Error);
    }
    // Nothing is waited for since the last event was evaluated: nobody has come to a cursor that jumps.
    this.reach(batch);
  }

  private *wanted({ events, keyOf }: LiveBatch): Generator<[key: string, event: LiveEvent]> {
    for (const [stream, those] of events) {
      const key = keyOf(stream);
      if (key === undefined || !this.filter.wants(stream)) continue;
      for (const event of those) yield [key, event];
    }
  }

  private sizeOf(event: LiveEvent): number {
    return event.size + (this.filter.evaluates ? sizeOfEvaluation : 0);
  }

  /** @throws ProblemError `query_too_expensive` when the budget is spent */
  private evaluate(event: LiveEvent, key: string, budget: StepBudget): void {
    const { cursor, filter } = this;
    const matches = withinBudget(budget, () => filter.matches(event));
    if (filter.evaluates && budget.isSpent) throw tooCostly();
    cursor?.set(key, event.event.partition, event.event.offset + 1);
    if (cursor && matches) this.add(event, cursor);
  }

  private reach({ reached, keyOf }: LiveBatch): void {
    for (const { stream, partition, next } of reached) {
      const key = keyOf(stream);
      if (key !== undefined && this.filter.wants(stream)) this.cursor?.set(key, partition, next);
    }
  }

  private add(event: LiveEvent, cursor: LivePosition): void {
    const json = event.json(this.format);
    const text = eventMessage(
      json,
      this.ids.idOf(json.length, () => cursor.toString()),
    );
    this.texts.push(text);
    this.characters += text.length;
    if (this.characters >= partCharacters) this.handOn();
  }

  private handOn(): void {
    if (this.texts.length === 0) return;
    const chunk = { bytes: Buffer.from(this.texts.join('')), events: this.texts.length };
    [this.texts, this.characters] = [[], 0];
    for (const listener of [...this.listeners]) listener.take(chunk);
  }

  /** What was chosen before is handed on, nothing of what follows. */
  private fail(error: Error): void {
    this.handOn();
    for (const listener of [...this.listeners]) listener.fail(error);
  }
}
