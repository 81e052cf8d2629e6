import type { EpochMicros } from '#json';
import type { UnmergedKeyedState } from '#store';
import type { Fold, FoldState } from '#dataflow';

/** The state of one key of a projection as reads return it: the fields, merged over all partitions. */
export interface KeyState {
  key: string;
  /** Number of events that are folded into the state. */
  version: number;
  /** Ingestion time of the last event that is folded into the state. */
  updatedAt: EpochMicros;
  /** The computed fields of the projection for this key, as the text of one JSON object. */
  state: string;
}

/** A key of a projection with its state merged over all partitions, before the fields are computed. */
export interface MergedKeyFoldState {
  key: string;
  version: number;
  updatedAt: EpochMicros;
  folded: FoldState;
}

/** Merges the partial states of all partitions of a key. */
export function mergedKey(fold: Fold, { key, parts }: UnmergedKeyedState): MergedKeyFoldState {
  const merged: MergedKeyFoldState = { key, version: 0, updatedAt: -Infinity, folded: fold.empty };
  for (const { state, events, updated_at } of parts) {
    merged.folded = fold.merge(merged.folded, JSON.parse(state) as FoldState);
    merged.version += events;
    merged.updatedAt = Math.max(merged.updatedAt, updated_at);
  }
  return merged;
}

export function keyState(fold: Fold, { key, version, updatedAt, folded }: MergedKeyFoldState): KeyState {
  return { key, version, updatedAt, state: fold.result(folded) };
}
