import { TimeSlice } from '#async';
import type { ProjectionGeneration } from '#features/projections/definition';
import {
  AdaptivePageSize,
  QueryTooExpensiveError,
  type ChangedKeysQuery,
  type KeyedStateReader,
  type KeyedStateRow,
  type KeyedStateStore,
  type PartitionCheckpoint,
  type UnmergedKeyedState,
} from '#store';
import { abortable, type Bulkhead } from '#gateway-kit';
import { foldOf } from '#features/projections/definition';
import { mergedKey } from '#features/projections';

/** The states of projections, and the results that are derived from them. */
export interface ResultStores {
  projections: Pick<KeyedStateReader, 'progress' | 'changedKeys'>;
  projectionResults: Pick<KeyedStateReader, 'progress'> & Pick<KeyedStateStore, 'save' | 'remove'>;
}

/** A pass over all keys that changed between two positions, in the order of keys. */
interface Pass {
  readonly since: ChangedKeysQuery['since'];
  /** The saved positions at the begin of the pass: when it is done, the results are complete up to them. */
  readonly to: readonly PartitionCheckpoint[];
  /** The last key whose result is saved. */
  after?: string | undefined;
  computed: number;
}

/** First and maximum number of keys of a page, and the intended size of their states in bytes. */
const page = { first: 500, most: 5_000, bytes: 4 * 1024 * 1024 };

/**
 * Computes the results of one generation, for analysts' SQL, from the states of the keys that changed. Several gateways
 * may do so at the same time: of two results of a key, the one from more events wins.
 */
export class GenerationResults {
  private pass: Pass | undefined;
  private running: Promise<void> | undefined;
  private stop: AbortController | undefined;
  private waiting = 0;
  private readonly size = new AdaptivePageSize(page);

  constructor(
    readonly generation: ProjectionGeneration,
    private readonly store: ResultStores,
    private readonly bulkhead: Pick<Bulkhead, 'run'>,
  ) {}

  /** Number of keys that the current pass has computed. */
  get computed(): number {
    return this.pass?.computed ?? 0;
  }

  /** Whether nobody waits, and there is no pass to continue. */
  get isComplete(): boolean {
    return this.waiting === 0 && this.pass === undefined;
  }

  /**
   * Resolves when the results include all states that were saved before the call. Stops when nobody waits any more; the
   * next call continues after the last saved page.
   */
  async upToDate(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.waiting++;
    try {
      // The work that runs may have begun before the latest states were saved.
      const earlier = this.running?.catch(() => undefined);
      if (earlier) await abortable(earlier, signal);
      if (!this.running) {
        this.stop = new AbortController();
        this.running = this.run(this.stop.signal).finally(() => (this.running = undefined));
      }
      await abortable(this.running, signal);
    } finally {
      if (--this.waiting === 0) this.stop?.abort();
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    if (this.pass) await this.finish(this.pass, signal);
    this.pass = await this.next(signal);
    if (this.pass) await this.finish(this.pass, signal);
    this.pass = undefined;
  }

  /** Returns the pass that makes the results complete up to the saved positions; undefined if they are. */
  private async next(signal: AbortSignal): Promise<Pass | undefined> {
    const { projections, projectionResults } = this.store;
    const owner = this.generation.id;
    // The results are read first: they are never ahead of states that are read later.
    const complete = await this.bulkhead.run(signal, (read) => projectionResults.progress([owner], read));
    const to = await this.bulkhead.run(signal, (read) => projections.progress([owner], read));
    const done = new Map(complete.map((end) => [keyOf(end), end.next]));
    const saved = new Map(to.map((end) => [keyOf(end), end.next]));
    if ([...done].some(([key, next]) => next > (saved.get(key) ?? 0))) {
      // The states were replaced by older ones, from a backup.
      await projectionResults.remove(owner);
      done.clear();
    }
    const since = to.flatMap(({ stream, partition, next }) => {
      const offset = done.get(keyOf({ stream, partition })) ?? 0;
      return next > offset ? [{ stream, partition, offset }] : [];
    });
    return since.length === 0 ? undefined : { since, to, computed: 0 };
  }

  private async finish(pass: Pass, signal: AbortSignal): Promise<void> {
    for (let isLast = false; !isLast;) {
      const { keys, limit } = await this.read(pass, signal);
      isLast = keys.length < limit;
      const rows = await this.rowsOf(keys);
      const bytes = keys.reduce((sum, key) => sum + sizeOf(key), 0);
      this.size.learn(keys.length, bytes);
      await this.store.projectionResults.save(rows, isLast ? pass.to : []);
      pass.after = keys.at(-1)?.key ?? pass.after;
      pass.computed += keys.length;
    }
  }

  private async read(
    { since, after }: Pass,
    signal: AbortSignal,
  ): Promise<{ keys: UnmergedKeyedState[]; limit: number }> {
    for (;;) {
      const limit = this.size.rows;
      const query = { owner: this.generation.id, since, limit, ...(after !== undefined && { after }) };
      try {
        const { projections } = this.store;
        return {
          keys: await this.bulkhead.run(signal, (read) => projections.changedKeys(query, read)),
          limit,
        };
      } catch (error) {
        if (!(error instanceof QueryTooExpensiveError) || limit === 1) throw error;
        this.size.tooLarge(limit);
      }
    }
  }

  /** Merges the states. A key may have large partial states, so other work of the process may run between two keys. */
  private async rowsOf(keys: readonly UnmergedKeyedState[]): Promise<KeyedStateRow[]> {
    const slice = new TimeSlice();
    const fold = foldOf(this.generation);
    const rows: KeyedStateRow[] = [];
    for (const key of keys) {
      if (slice.over(sizeOf(key))) await slice.end();
      const { version, updatedAt, folded } = mergedKey(fold, key);
      rows.push({
        owner: this.generation.id,
        stage: '',
        stream: '',
        partition: 0,
        key: key.key,
        state: fold.lines(folded),
        events: version,
        closes_at: 0,
        updated_at: updatedAt,
        // Grows with every event of any partition, also with the first event of a partition, whose position may be 0.
        position: key.parts.reduce((sum, { position }) => sum + position + 1, 0),
      });
    }
    return rows;
  }
}

function keyOf({ stream, partition }: Pick<PartitionCheckpoint, 'stream' | 'partition'>): string {
  return `${stream}:${partition}`;
}

function sizeOf({ parts }: UnmergedKeyedState): number {
  return parts.reduce((size, { state }) => size + state.length, 0);
}
