import { TimeSlice } from '#async';
import type { Fold } from '#dataflow';
import type { ProjectionGeneration } from '#features/projections/definition';
import {
  QueryTooExpensiveError,
  type UnmergedKeyedState,
  type PartitionCheckpoint,
  type KeyedStateReader,
} from '#store';
import { abortable, onOneLine, type Bulkhead } from '#gateway-kit';
import { LivePosition, streamKey, ResumeIdSpacer, positionMessage } from '#features/events';
import { foldOf } from '#features/projections/definition';
import { keyState, mergedKey } from '../states/key-state.js';
import { stateJson } from '../states/state-answers.js';
import { changeId } from './change-stream-position.js';
import { SingleFlightCache } from './single-flight-cache.js';

/** What `GenerationChanges` reads with, and the signal that ends it. */
export interface GenerationChangesDependencies {
  projections: Pick<KeyedStateReader, 'changedKeys'>;
  bulkhead: Pick<Bulkhead, 'run'>;
  /** Aborted when the process closes all live streams. */
  closed: AbortSignal;
}

/** Selects one page of the changes between two positions, in the order of keys. */
export interface ChangeMessagesPageRequest {
  from: LivePosition;
  to: LivePosition;
  /** The last key of the previous page; undefined for the first page. */
  after: string | undefined;
}

/** One page of changes as Server-Sent Events, ready to be sent to every client at the same position. */
export interface ChangeMessagesPage {
  bytes: Buffer;
  changes: number;
  /** The last key of the page; undefined when it was the last page. */
  after: string | undefined;
}

/** Limit of keys in a page, and its target size in bytes. */
const page = { keys: 500, bytes: 256 * 1024 };
/** Limits of the pages that are cached for clients that reach the same position a little later. */
const cached = { answers: 8, bytes: 4 * 1024 * 1024 };
/** Longest time that the cursor rests after the read of a page, in milliseconds. */
const longestRest = 2_000;

/**
 * The saved positions of one projection generation, and its changes. Clients at the same position share one read of the
 * store and one copy of the messages.
 */
export class GenerationChanges {
  /** Everything below this position is saved. */
  readonly cursor: LivePosition;
  /** The keys in positions of the generation's source streams, by stream name. */
  private readonly keys: ReadonlyMap<string, string>;
  private readonly pages = new SingleFlightCache<ChangeMessagesPage>(cached);
  private limit = page.keys;
  private restUntil = 0;
  private wake: () => void = () => undefined;
  private movement: Promise<void>;

  constructor(
    readonly generation: ProjectionGeneration,
    binding: string,
    private readonly dependencies: GenerationChangesDependencies,
  ) {
    this.cursor = new LivePosition(binding);
    this.keys = new Map(
      Object.entries(generation.sources).map(([stream, { id }]) => [stream, streamKey(id)]),
    );
    this.movement = new Promise((resolve) => (this.wake = resolve));
  }

  /**
   * Moves the cursor to the saved positions in the store. The cursor rests after a slow read, so that reads take at
   * most half of the time.
   */
  advance(progress: readonly PartitionCheckpoint[]): void {
    if (performance.now() < this.restUntil) return;
    let moved = false;
    for (const { stream, partition, next } of progress) {
      const key = this.keys.get(stream);
      if (key === undefined || next <= this.cursor.at(key, partition)) continue;
      this.cursor.set(key, partition, next);
      moved = true;
    }
    if (moved) this.stir();
  }

  /** Resolves when the cursor has moved, or `stir` was called. */
  moved(signal: AbortSignal): Promise<void> {
    return abortable(this.movement, signal);
  }

  /** Resolves all pending promises of `moved`. */
  stir(): void {
    this.wake();
    this.movement = new Promise((resolve) => (this.wake = resolve));
  }

  /**
   * Resolves with one page of changes.
   * @throws ProblemError overloaded
   * @throws QueryTooExpensiveError
   * @throws StoreUnavailableError
   */
  changed(request: ChangeMessagesPageRequest): Promise<ChangeMessagesPage> {
    const { from, to, after } = request;
    const name = JSON.stringify([from.toString(), to.toString(), after ?? null]);
    return this.pages.get(name, () => this.read(request));
  }

  private async read({ from, to, after }: ChangeMessagesPageRequest): Promise<ChangeMessagesPage> {
    const { projections, bulkhead, closed } = this.dependencies;
    const since = [...this.keys].flatMap(([stream, key]) =>
      from
        .missingTo(to)
        .flatMap(({ key: missing, partition, from: offset }) =>
          missing === key ? [{ stream, partition, offset }] : [],
        ),
    );
    for (;;) {
      const { limit } = this;
      try {
        const query = { owner: this.generation.id, since, limit, ...(after !== undefined && { after }) };
        const begun = performance.now();
        const keys = await bulkhead.run(closed, (signal) => projections.changedKeys(query, signal));
        const now = performance.now();
        this.restUntil = now + Math.min(longestRest, now - begun);
        const fold = foldOf(this.generation);
        const messages = await messagesOf(keys, fold);
        const idAfter = (n: number) => changeId({ from, sent: { to, after: keys[n]!.key } });
        const bytes = Buffer.from(withIds(messages, idAfter));
        this.learn(bytes.length, keys.length);
        return { bytes, changes: keys.length, after: keys.length < limit ? undefined : keys.at(-1)?.key };
      } catch (error) {
        if (!(error instanceof QueryTooExpensiveError) || limit === 1) throw error;
        this.limit = Math.max(1, limit >> 2);
      }
    }
  }

  private learn(bytes: number, keys: number): void {
    if (keys === 0) return;
    this.limit = Math.max(1, Math.min(page.keys, Math.floor((page.bytes * keys) / bytes)));
  }
}

/**
 * Returns a message `change` for each key, with its current state in the same form as a read of the state. A key may have
 * large partial states, so other work of the process may run between two keys.
 */
async function messagesOf(keys: readonly UnmergedKeyedState[], fold: Fold): Promise<string[]> {
  const turn = new TimeSlice();
  const messages: string[] = [];
  for (const key of keys) {
    if (turn.over(key.parts.reduce((size, { state }) => size + state.length, 0))) await turn.end();
    const state = keyState(fold, mergedKey(fold, key));
    messages.push(`event: change\ndata: ${onOneLine(stateJson(state))}\n\n`);
  }
  return messages;
}

/** Number of messages after which an id is sent. */
const messagesPerId = 20;

/** Joins messages, with an id after every few of them. A client that reconnects resumes after the last id. */
function withIds(messages: readonly string[], idAfter: (index: number) => string): string {
  const ids = new ResumeIdSpacer(messagesPerId);
  const parts = messages.map((message, n) => {
    const id = ids.idOf(message.length, () => idAfter(n));
    return id === undefined ? message : message + positionMessage(id);
  });
  return parts.join('');
}
