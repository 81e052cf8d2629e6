import { Turn } from '#async';
import type { Fold } from '#dataflow';
import type { ProjectionBuild } from '#registry';
import { QueryTooExpensiveError, type KeyedState, type StateProgress, type KeyedStateReader } from '#store';
import { abortable } from '../../live/abortable.js';
import { LivePosition, streamKey } from '../../live/live-position.js';
import type { Bulkhead } from '../../reads/bulkhead.js';
import { foldOf, keyState, mergedKey } from '../states/key-state.js';
import { SpacedIds } from '../../live/spaced-ids.js';
import { reached } from '../../live/server-sent.js';
import { changeMessage } from './change-messages.js';
import { changeId } from './change-position.js';
import { SharedAnswers } from './shared-answers.js';

export interface BuildFeedParts {
  projections: Pick<KeyedStateReader, 'changedKeys'>;
  bulkhead: Pick<Bulkhead, 'run'>;
  /** Aborted when nobody is answered any more. */
  closed: AbortSignal;
}

/** What has changed from one position up to another, in the order of keys: one page of it. */
export interface ChangesQuestion {
  from: LivePosition;
  to: LivePosition;
  /** The key after which the page begins. */
  after: string | undefined;
}

/** Messages, ready to be sent to everyone who asked the same. */
export interface ChangesPage {
  bytes: Buffer;
  changes: number;
  /** Where the next page begins; undefined when this was the last one. */
  after: string | undefined;
}

/** Keys of a page at most, and bytes that it should have. */
const page = { keys: 500, bytes: 256 * 1024 };
/** What is kept for those who ask a little later. */
const kept = { answers: 8, bytes: 4 * 1024 * 1024 };
/** Milliseconds that changes are held back after a page, at most. */
const longestRest = 2_000;

/**
 * How far one build is saved, and what has changed in it. Those who are as far as each other ask the same: the store is
 * asked once, and the messages are there once.
 */
export class BuildFeed {
  /** Below it everything is saved. */
  readonly cursor: LivePosition;
  /** By stream: what it is called in positions. */
  private readonly keys: ReadonlyMap<string, string>;
  private readonly answers = new SharedAnswers<ChangesPage>(kept);
  private limit = page.keys;
  private restUntil = 0;
  private wake: () => void = () => undefined;
  private movement: Promise<void>;

  constructor(
    readonly build: ProjectionBuild,
    binding: string,
    private readonly parts: BuildFeedParts,
  ) {
    this.cursor = new LivePosition(binding);
    this.keys = new Map(Object.entries(build.sources).map(([stream, { id }]) => [stream, streamKey(id)]));
    this.movement = new Promise((resolve) => (this.wake = resolve));
  }

  /**
   * So far it is saved, says the store. While what has changed takes long to read, it comes less often: reading goes on for
   * half of the time at most.
   */
  advance(progress: readonly StateProgress[]): void {
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

  /** Resolves when the cursor has moved on, or there is another reason to look. */
  moved(signal: AbortSignal): Promise<void> {
    return abortable(this.movement, signal);
  }

  /** Whoever waits looks again. */
  stir(): void {
    this.wake();
    this.movement = new Promise((resolve) => (this.wake = resolve));
  }

  /** @throws ProblemError overloaded @throws QueryTooExpensiveError @throws StoreUnavailableError */
  changed(question: ChangesQuestion): Promise<ChangesPage> {
    const { from, to, after } = question;
    const name = JSON.stringify([from.toString(), to.toString(), after ?? null]);
    return this.answers.get(name, () => this.read(question));
  }

  private async read({ from, to, after }: ChangesQuestion): Promise<ChangesPage> {
    const { projections, bulkhead, closed } = this.parts;
    const places = [...this.keys].flatMap(([stream, key]) =>
      from.missingTo(to).flatMap((missing) => (missing.key === key ? [{ stream, ...missing }] : [])),
    );
    const since = places.map(({ stream, partition, from: offset }) => ({ stream, partition, offset }));
    for (;;) {
      const { limit } = this;
      try {
        const query = { owner: this.build.id, since, limit, ...(after !== undefined && { after }) };
        const begun = performance.now();
        const keys = await bulkhead.run(closed, (signal) => projections.changedKeys(query, signal));
        const now = performance.now();
        this.restUntil = now + Math.min(longestRest, now - begun);
        const fold = foldOf(this.build);
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

/** What the keys are now: the parts of a page may be large, so other work of the process has its turns between two keys. */
async function messagesOf(keys: readonly KeyedState[], fold: Fold): Promise<string[]> {
  const turn = new Turn();
  const messages: string[] = [];
  for (const key of keys) {
    if (turn.over(key.parts.reduce((size, { state }) => size + state.length, 0))) await turn.end();
    messages.push(changeMessage(keyState(fold, mergedKey(fold, key))));
  }
  return messages;
}

/** Messages after which an id says how far the client is. */
const messagesPerId = 20;

/** Joins messages, with an id after every few of them: a client that is cut off goes on from there. */
function withIds(messages: readonly string[], idAfter: (index: number) => string): string {
  const ids = new SpacedIds(messagesPerId);
  const parts = messages.map((message, n) => {
    const id = ids.idOf(message.length, () => idAfter(n));
    return id === undefined ? message : message + reached(id);
  });
  return parts.join('');
}
