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
  /** The version of the entity's last event that the state includes. */
  version: number;
  timestamp: string;
  /** The version of the stored snapshot from which the server computed the state; null if it used none. */
  from_snapshot: number | null;
}

/** A stored snapshot of an entity's state. */
export interface EntityStateSnapshot<State = JsonObject> extends EntityAddress, ExactState<State> {
  snapshot_id: string;
  version: number;
  timestamp: string;
  created_at: string;
  reason: 'automatic' | 'requested';
}

/**
 * A snapshot that a request has created. The created snapshot has a state only if the API key has the scope
 * `events:read`.
 */
export type CreatedEntityStateSnapshot<State = JsonObject> = Omit<
  EntityStateSnapshot<State>,
  keyof ExactState<State>
> &
  Partial<ExactState<State | null>>;

/** The state of one key of a projection. */
export interface ProjectionKeyState<State = JsonObject> extends ExactState<State> {
  key: string;
  /** The number of events that are folded into the state of the key. */
  version: number;
  updated_at: string;
}

const read = exactReader<object>('state');

export const readEntityState = read as <State>(text: string) => EntityState<State>;
export const readSnapshot = read as <State>(text: string) => EntityStateSnapshot<State>;
export const readCreatedSnapshot = read as <State>(text: string) => CreatedEntityStateSnapshot<State>;
export const readProjectionState = read as <State>(text: string) => ProjectionKeyState<State>;
