import type { Definitions } from '#registry';
import { foldOf } from '#features/projections/definition';
import { maxStateKeys, statesByKey, type KeyedStateReader } from '#store';
import type { FoldState } from '#dataflow';
import { lookupName, type ProjectionLookup } from '#features/pipelines/computation';
import { AgeOrderedMap } from '#processor-kit';
import type { HistoryLoader } from './history-loader.js';
import type { LoadedProjectionStates } from './load-lookups.js';

/**
 * Limits of the cache of projection states: the milliseconds for which a state is cached, the number of states, and
 * their approximate size in characters.
 */
const cachedMs = 2000;
const mostCached = { states: 10_000, weight: 16 * 1024 * 1024 };
/** Approximate size of a cache entry in characters, without its state and its name. */
const stateWeight = 200;

interface CachedState {
  readonly state: string | null;
  readonly until: number;
}

/**
 * Loads the projection states for the operator `enrich`, from the serving generation of each projection, merged over
 * its partitions. The states are current, so an event that is processed again after a crash may get different states.
 * Lookups as of a time are left to the histories.
 */
export class SideInputLoader {
  private readonly kept = new AgeOrderedMap<string, CachedState>();
  private weight = 0;

  constructor(
    private readonly dependencies: {
      definitions: Pick<Definitions, 'projections'>;
      store: Pick<KeyedStateReader, 'find'>;
      histories: Pick<HistoryLoader, 'load' | 'wait'>;
      /** Returns the current time in milliseconds. */
      now: () => number;
    },
  ) {}

  /** Resolves when the answers to lookups as of a time are final. @throws as `load` does */
  async wait(lookups: readonly ProjectionLookup[], signal: AbortSignal): Promise<void> {
    await this.dependencies.histories.wait(
      lookups.filter((lookup) => lookup.asOf),
      signal,
    );
  }

  /**
   * Adds the answers to these lookups to `found`.
   * @throws StoreUnavailableError @throws the signal's reason, which ends a wait for a history
   */
  async load(
    lookups: Iterable<ProjectionLookup>,
    found: LoadedProjectionStates,
    signal: AbortSignal,
  ): Promise<void> {
    const all = [...lookups];
    const asOf = all.filter((lookup) => lookup.asOf);
    if (asOf.length > 0) await this.dependencies.histories.load(asOf, found, signal);
    await this.loadCurrent(
      all.filter((lookup) => !lookup.asOf),
      found,
    );
  }

  private async loadCurrent(
    lookups: readonly ProjectionLookup[],
    found: LoadedProjectionStates,
  ): Promise<void> {
    const missing = new Map<string, Set<string>>();
    for (const lookup of lookups) {
      const name = lookupName(lookup);
      const kept = this.kept.get(name);
      if (kept && kept.until > this.dependencies.now()) found.set(name, kept.state);
      else missing.set(lookup.projection, (missing.get(lookup.projection) ?? new Set()).add(lookup.key));
    }
    for (const [projection, all] of missing) {
      const keys = [...all];
      for (let at = 0; at < keys.length; at += maxStateKeys)
        await this.loadOf(projection, keys.slice(at, at + maxStateKeys), found);
    }
  }

  private async loadOf(
    projection: string,
    keys: readonly string[],
    found: LoadedProjectionStates,
  ): Promise<void> {
    const generation = this.dependencies.definitions.projections.get(projection)?.serving;
    const states = new Map<string, string>();
    if (generation) {
      const fold = foldOf(generation);
      for (const [key, texts] of statesByKey(await this.dependencies.store.find(generation.id, keys))) {
        const merged = texts.map((text) => JSON.parse(text) as FoldState).reduce((a, b) => fold.merge(a, b));
        states.set(key, fold.result(merged));
      }
    }
    const until = this.dependencies.now() + cachedMs;
    for (const key of keys) {
      const name = lookupName({ projection, key });
      const state = states.get(key) ?? null;
      found.set(name, state);
      this.keep(name, { state, until });
    }
  }

  private keep(name: string, state: CachedState): void {
    const before = this.kept.get(name);
    this.weight += weightOf(name, state) - (before ? weightOf(name, before) : 0);
    this.kept.put(name, state);
    while (this.kept.size > mostCached.states || this.weight > mostCached.weight) {
      const oldest = this.kept.take();
      if (!oldest) return;
      this.weight -= weightOf(...oldest);
    }
  }
}

function weightOf(name: string, { state }: CachedState): number {
  return stateWeight + name.length + (state?.length ?? 0);
}
