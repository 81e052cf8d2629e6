import type { WaitFor } from './event.js';
import type { From, Source } from './source.js';

export type FoldOperation =
  'count' | 'sum' | 'min' | 'max' | 'avg' | 'first' | 'last' | 'count_distinct' | 'collect' | 'merge';

/** How one field of a state is folded. */
export interface Field {
  op: FoldOperation;
  /** A CEL expression over the event. Every operation but `count` has one. */
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

/** A definition without its name, which is in the address. */
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
  /** The version that is read. */
  serving_version: number | null;
  failure: string | null;
}

/** A projection and how far it is. */
export interface ProjectionFigures extends Projection {
  processed: number;
  failed: number;
  /** Records that it has not read yet. */
  lag: number;
  updated_at: string | null;
}

export interface ProjectionDetail extends ProjectionFigures {
  /** The version that is being built; null while there is none. */
  progress: {
    version: number;
    started_at: string;
    processed: number;
    failed: number;
    lag: number;
    /** Of the log that it has read. */
    fraction: number;
  } | null;
}

export interface StatesQuery extends WaitFor {
  /** Keys that begin with this. */
  prefix?: string;
  /** A field; without it the states are in the order of their keys. */
  order_by?: string;
  order?: 'asc' | 'desc';
  limit?: number;
  cursor?: string;
}
