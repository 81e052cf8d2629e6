import type { WaitFor } from './event.js';
import type { From, Source } from './source.js';

export type FoldOperation =
  'count' | 'sum' | 'min' | 'max' | 'avg' | 'first' | 'last' | 'count_distinct' | 'collect' | 'merge';

/** The computation of one field of a state. */
export interface Field {
  op: FoldOperation;
  /** A CEL expression over the event. Every operation except `count` requires it. */
  value?: string | null;
}

export interface ProjectionInput {
  name: string;
  source: Source;
  /** A CEL expression; without it there is one state for all events. */
  key?: string | null;
  fields: Record<string, Field>;
  from?: From | null;
}

/** A definition without its name, which is in the URL. */
export type ProjectionReplacement = Omit<ProjectionInput, 'name'> & { name?: string | null };

export interface Projection {
  name: string;
  version: number;
  status: 'building' | 'running' | 'paused' | 'failed';
  source: Source;
  key: string;
  fields: Record<string, Field>;
  from: From;
  created_at: string;
  /** The version that serves reads. */
  serving_version: number | null;
  failure: string | null;
}

/** A projection and its progress. */
export interface ProjectionWithStats extends Projection {
  processed: number;
  failed: number;
  /** The number of unread records. */
  lag: number;
  updated_at: string | null;
}

export interface ProjectionDetail extends ProjectionWithStats {
  /** The version that is being built; null if there is none. */
  progress: {
    version: number;
    started_at: string;
    processed: number;
    failed: number;
    lag: number;
    /** The fraction of the log that it has read. */
    fraction: number;
  } | null;
}

export interface StatesQuery extends WaitFor {
  /** Keys with this prefix. */
  prefix?: string;
  /** A field; by default the states are ordered by key. */
  order_by?: string;
  order?: 'asc' | 'desc';
  limit?: number;
  cursor?: string;
}
