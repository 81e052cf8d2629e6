import type { Definitions } from '#registry';
import type { ProjectionGeneration } from '#features/projections/definition';
import { maxStateKeys, type KeyedStateReader } from '#store';
import { compileFold, type Fold, type FoldState } from '#dataflow';
import { type ProjectionLookup } from '#features/pipelines/computation';
import { AgeOrderedMap } from '#processor-kit';

/**
 * Limits of the cache of projection states: the milliseconds for which a state is cached, the number of states, and
 * their approximate size in characters.
 */
const cachedMs = 2000;
const mostCached = { states: 10_000, weight: 16 * 1024 * 1024 };
/** Approximate size of a cache entry in characters, without its state and its name. */
const stateWeight = 200;
/** Maximum number of compiled folds that are cached. */
const mostFolds = 100;

interface CachedState {
  readonly state: string | null;
  readonly until: number;
}

/** Loaded states of projections, by the result of `lookupName`; null for a key without a state. */
export type LoadedProjectionStates = Map<string, string | null>;

export function lookupName({ projection, key }: ProjectionLookup): string {
  return `${projection} ${key}`;
}

/**
 * Loads the projection states for the operator `enrich`, from the serving generation of each projection, merged over
 * its partitions. The states are current, and not those at the time of the event. An event that is processed again
 * after a crash may get different states.
 */
export class SideInputLoader {
  private readonly kept = new AgeOrderedMap<string, CachedState>();
  private weight = 0;
  private readonly folds = new Map<string, Fold>();

  constructor(
    private readonly dependencies: {
      definitions: Pick<Definitions, 'projections'>;
      store: Pick<KeyedStateReader, 'find'>;
      /** Returns the current time in milliseconds. */
      now: () => number;
    },
  ) {}

  /** Adds the states for these lookups to `found`; null for a key without a state. @throws StoreUnavailableError */
  async load(lookups: Iterable<ProjectionLookup>, found: LoadedProjectionStates): Promise<void> {
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
      const fold = this.foldOf(generation);
      for (const { key, parts } of await this.dependencies.store.find(generation.id, keys)) {
        const merged = parts
          .map(({ state }) => JSON.parse(state) as FoldState)
          .reduce((a, b) => fold.merge(a, b));
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

  private foldOf({ id, spec }: ProjectionGeneration): Fold {
    const known = this.folds.get(id);
    if (known) return known;
    if (this.folds.size >= mostFolds) this.folds.clear();
    const fold = compileFold(spec.fields);
    this.folds.set(id, fold);
    return fold;
  }
}

function weightOf(name: string, { state }: CachedState): number {
  return stateWeight + name.length + (state?.length ?? 0);
}
