import type { ApiSchemas } from '../types/api-schemas.js';
import type { JsonObject } from '../types/index.js';
import { exactReader } from './exact-reader.js';

interface ExactState<State> {
  /** The state, parsed on first access. Numbers become 64-bit floating point: `stateText` has them exactly. */
  readonly state: State;
  /** JSON text with every digit. */
  readonly stateText: string;
}

/** The state of an entity: the merged data of its events. */
export interface EntityState<State = JsonObject>
  extends Omit<ApiSchemas['EntityStateAnswer'], 'state'>, ExactState<State> {}

/** A stored snapshot of an entity's state. */
export interface EntityStateSnapshot<State = JsonObject>
  extends Omit<ApiSchemas['SnapshotAnswer'], 'state'>, ExactState<State> {}

/** A snapshot that a request has created. It has a state only if the API key has the scope `events:read`. */
export interface CreatedEntityStateSnapshot<State = JsonObject>
  extends Omit<ApiSchemas['CreatedSnapshotAnswer'], 'state'>, Partial<ExactState<State | null>> {}

/** The state of one key of a projection. */
export interface ProjectionKeyState<State = JsonObject>
  extends Omit<ApiSchemas['ProjectionStateAnswer'], 'state'>, ExactState<State> {}

const read = exactReader<object>('state');

export const readEntityState = read as <State>(text: string) => EntityState<State>;
export const readSnapshot = read as <State>(text: string) => EntityStateSnapshot<State>;
export const readCreatedSnapshot = read as <State>(text: string) => CreatedEntityStateSnapshot<State>;
export const readProjectionState = read as <State>(text: string) => ProjectionKeyState<State>;
