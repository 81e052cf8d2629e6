import type { WaitForPositions } from './event.js';
import type { SourceStart, DefinitionSource } from './source.js';

/** How a field of a projection's state is computed from the events of a key. */
export type FoldOperation =
  'count' | 'sum' | 'min' | 'max' | 'avg' | 'first' | 'last' | 'count_distinct' | 'collect' | 'merge';

/** How one field of a projection's state is computed. */
export interface Field {
  op: FoldOperation;
  /** A CEL expression over the event. Required, unless `op` is `count`. */
  value?: string | null;
}

/** The definition of a new projection. */
export interface ProjectionInput {
  name: string;
  source: DefinitionSource;
  /**
   * A CEL expression over the event, whose value is the key of the state. Default: `event.entity_id`, one state for
   * each entity.
   */
  key?: string | null;
  fields: Record<string, Field>;
  from?: SourceStart | null;
}

/** The new definition of an existing projection. The URL contains the name, so `name` may be omitted. */
export type ProjectionReplacement = Omit<ProjectionInput, 'name'> & { name?: string | null };

/** A projection's definition and status. */
export interface Projection {
  name: string;
  version: number;
  status: 'building' | 'running' | 'paused' | 'failed';
  source: DefinitionSource;
  key: string;
  fields: Record<string, Field>;
  from: SourceStart;
  created_at: string;
  /** The version of the definition whose states reads return; null while the first one is being built. */
  serving_version: number | null;
  failure: string | null;
}

/** A projection's definition and status, with the counts and the lag of the version that serves reads. */
export interface ProjectionWithStats extends Projection {
  processed: number;
  failed: number;
  /** The number of Kafka records that the version that serves reads has not folded yet. */
  lag: number;
  updated_at: string | null;
}

/** A projection with its statistics, and the progress of a version that is being built. */
export interface ProjectionDetail extends ProjectionWithStats {
  /** Progress of the version whose states are being computed; null if there is none. */
  progress: {
    version: number;
    started_at: string;
    processed: number;
    failed: number;
    lag: number;
    /** The fraction of the records that this version has read, from 0 to 1. */
    fraction: number;
  } | null;
}

/** Filters and order of a list of a projection's states. */
export interface ProjectionStatesQuery extends WaitForPositions {
  /** Keys with this prefix. */
  prefix?: string;
  /** The field of the state by which the list is sorted. Default: the states are sorted by key. */
  order_by?: string;
  order?: 'asc' | 'desc';
  limit?: number;
  cursor?: string;
}
