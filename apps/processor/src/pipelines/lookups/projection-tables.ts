import type { Definitions, ProjectionBuild } from '#registry';
import { maxStateKeys, type KeyedStateReader } from '#store';
import { compileFold, type Fold, type FoldState, type Lookup } from '#dataflow';
import { OldestFirst } from '../../oldest-first.js';

/**
 * Milliseconds that a state is taken as it was found; how many of them are kept, and about how many characters they
 * have.
 */
const keptMs = 2000;
const mostKept = { states: 10_000, weight: 16 * 1024 * 1024 };
/** What is kept of a state besides itself and its name, about. */
const stateWeight = 200;
/** Folds that are kept compiled. */
const mostFolds = 100;

interface Kept {
  readonly state: string | null;
  readonly until: number;
}

/** What `enrich` knows of projections, by name and key. */
export type Found = Map<string, string | null>;

export function lookupName({ projection, key }: Lookup): string {
  return `${projection} ${key}`;
}

/**
 * The states of projections for `enrich`: of the build that serves, merged over its partitions. They are those of this
 * moment, not of the event's time; what is read again after a crash may find others.
 */
export class ProjectionTables {
  private readonly kept = new OldestFirst<string, Kept>();
  private weight = 0;
  private readonly folds = new Map<string, Fold>();

  constructor(
    private readonly parts: {
      definitions: Pick<Definitions, 'projections'>;
      store: Pick<KeyedStateReader, 'find'>;
      /** Milliseconds. */
      now: () => number;
    },
  ) {}

  /** Adds what is known of these to `found`: null where nothing is. @throws StoreUnavailableError */
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
