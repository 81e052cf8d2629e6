import type { Micros } from '#event';
import type { ProjectionBuild } from '#registry';
import type { KeyedState } from '#store';
import { compileFold, type Fold, type FoldState } from '#dataflow';

/** What a projection knows of one key, all partitions together. */
export interface KeyState {
  key: string;
  /** Events that are folded into it. */
  version: number;
  /** When the last of them was ingested. */
  updatedAt: Micros;
  /** The fields as the text of one JSON object. */
  state: string;
}

/** A key whose parts are one. */
export interface MergedKey {
  key: string;
  version: number;
  updatedAt: Micros;
  folded: FoldState;
}

const folds = new WeakMap<ProjectionBuild, Fold>();

/** The fold of a build: compiled once, as long as the definition is there. */
export function foldOf(build: ProjectionBuild): Fold {
  const known = folds.get(build);
  if (known) return known;
  const fold = compileFold(build.spec.fields);
  folds.set(build, fold);
  return fold;
}

/** Puts together what each partition knows of a key. */
export function mergedKey(fold: Fold, { key, parts }: KeyedState): MergedKey {
  const merged: MergedKey = { key, version: 0, updatedAt: -Infinity, folded: fold.empty };
  for (const { state, events, updated_at } of parts) {
    merged.folded = fold.merge(merged.folded, JSON.parse(state) as FoldState);
    merged.version += events;
    merged.updatedAt = Math.max(merged.updatedAt, updated_at);
  }
  return merged;
}

export function keyState(fold: Fold, { key, version, updatedAt, folded }: MergedKey): KeyState {
  return { key, version, updatedAt, state: fold.result(folded) };
}
