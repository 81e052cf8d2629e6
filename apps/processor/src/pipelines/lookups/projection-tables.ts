import type { Definitions, ProjectionBuild } from '#registry';
import { maxStateKeys, type KeyedStateReader } from '#store';
import { compileFold, type Fold, type FoldState, type Lookup } from '#dataflow';
import { OldestFirst } from '../../oldest-first.js';

/**
 * Bounds of the cache of projection states: the milliseconds for which a state is cached, the number of states, and
 * their approximate size in characters.
 */
const keptMs = 2000;
const mostKept = { states: 10_000, weight: 16 * 1024 * 1024 };
/** Approximate size of a cache entry without its state and name, in characters. */
const stateWeight = 200;
/** Greatest number of compiled folds that are cached. */
const mostFolds = 100;

interface Kept {
  readonly state: string | null;
  readonly until: number;
}

/** Loaded states of projections by `lookupName`; null for a key without state. */
export type Found = Map<string, string | null>;

export function lookupName({ projection, key }: Lookup): string {
  return `${projection} ${key}`;
}

/**
 * The states of projections for the operator `enrich`: those of the serving generation, merged over its partitions.
 * They are current states, not the states at the event's time. An event that is processed again after a crash may
 * find different states.
 */
export class ProjectionTables {
  private readonly kept = new OldestFirst<string, Kept>();
  private weight = 0;
  private readonly folds = new Map<string, Fold>();

  constructor(
    private readonly parts: {
      definitions: Pick<Definitions, 'projections'>;
      store: Pick<KeyedStateReader, 'find'>;
      /** Returns the current time in milliseconds. */
      now: () => number;
    },
  ) {}

  /** Adds the states for these lookups to `found`; null for a key without state. @throws StoreUnavailableError */
  async load(lookups: Iterable<Lookup>, found: Found): Promise<void> {
    const missing = new Map<string, Set<string>>();
    for (const lookup of lookups) {
      const name = lookupName(lookup);
      const kept = this.kept.get(name);
      if (kept && kept.until > this.parts.now()) found.set(name, kept.state);
      else missing.set(lookup.projection, (missing.get(lookup.projection) ?? new Set()).add(lookup.key));
    }
    for (const [projection, all] of missing) {
      const keys = [...all];
      for (let at = 0; at < keys.length; at += maxStateKeys)
        await this.loadOf(projection, keys.slice(at, at + maxStateKeys), found);
    }
  }

  private async loadOf(projection: string, keys: readonly string[], found: Found): Promise<void> {
    const build = this.parts.definitions.projections.get(projection)?.serving;
    const states = new Map<string, string>();
    if (build) {
      const fold = this.foldOf(build);
      for (const { key, parts } of await this.parts.store.find(build.id, keys)) {
        const merged = parts
          .map(({ state }) => JSON.parse(state) as FoldState)
          .reduce((a, b) => fold.merge(a, b));
        states.set(key, fold.result(merged));
      }
    }
    const until = this.parts.now() + keptMs;
    for (const key of keys) {
      const name = lookupName({ projection, key });
      const state = states.get(key) ?? null;
      found.set(name, state);
      this.keep(name, { state, until });
    }
  }

  private keep(name: string, state: Kept): void {
    const before = this.kept.get(name);
    this.weight += weightOf(name, state) - (before ? weightOf(name, before) : 0);
    this.kept.put(name, state);
    while (this.kept.size > mostKept.states || this.weight > mostKept.weight) {
      const oldest = this.kept.take();
      if (!oldest) return;
      this.weight -= weightOf(...oldest);
    }
  }

  private foldOf({ id, spec }: ProjectionBuild): Fold {
    let fold = this.folds.get(id);
    if (!fold) {
      if (this.folds.size >= mostFolds) this.folds.clear();
      this.folds.set(id, (fold = compileFold(spec.fields)));
    }
    return fold;
  }
}

function weightOf(name: string, { state }: Kept): number {
  return stateWeight + name.length + (state?.length ?? 0);
}
