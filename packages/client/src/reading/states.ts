import type { EntityAddress } from '../types/entity.js';
import type { JsonObject } from '../types/json.js';
import { exactReader } from './exact-reader.js';

interface ExactState<State> {
  /** The state, parsed on first access. Numbers become 64-bit floating point: `stateText` has them exactly. */
  readonly state: State;
  /** JSON text with every digit. */
  readonly stateText: string;
}

/** The state of an entity: the merged data of its events. */
export interface EntityState<State = JsonObject> extends EntityAddress, ExactState<State> {
  /** The version of its last event. */
  version: number;
  timestamp: string;
  /** The version of the snapshot that the read started from. */
  from_snapshot: number | null;
}

/** A stored snapshot of an entity's state. */
export interface Snapshot<State = JsonObject> extends EntityAddress, ExactState<State> {
  snapshot_id: string;
  version: number;
  timestamp: string;
  created_at: string;
  reason: 'automatic' | 'requested';
}

/** A new snapshot; its state only if the key may read it. */
export type CreatedSnapshot<State = JsonObject> = Omit<Snapshot<State>, keyof ExactState<State>> &
  Partial<ExactState<State | null>>;

/** The state of one key of a projection. */
export interface ProjectionState<State = JsonObject> extends ExactState<State> {
  key: string;
  /** The number of events of the key. */
  version: number;
  updated_at: string;
}

const read = exactReader<object>('state');

export const readEntityState = read as <State>(text: string) => EntityState<State>;
export const readSnapshot = read as <State>(text: string) => Snapshot<State>;
export const readCreatedSnapshot = read as <State>(text: string) => CreatedSnapshot<State>;
export const readProjectionState = read as <State>(text: string) => ProjectionState<State>;
