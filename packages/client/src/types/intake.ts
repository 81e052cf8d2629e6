/**
 * What becomes of a request of which something is refused. `lenient` keeps what is refused as dead letters and writes the
 * rest. `strict` does not keep it.
 */
export type Handling = 'lenient' | 'strict';

/** Where the fields of raw values come from: each a constant, or a JSON pointer into the value (`/user/id`). */
export interface RawMapping {
  event_type: string;
  /** What it happened to. Default: nothing. */
  entity_id?: string;
  /** Names one event within its stream. Default: made of the body, so that the same request is stored once. */
  event_id?: string;
  /** When it happened. Default: when the server receives it. */
  timestamp?: string;
}

/** A CloudEvent of version 1.0 in the JSON format. Other members are extension attributes. */
export interface CloudEvent {
  specversion: string;
  id: string;
  source: string;
  type: string;
  [attribute: string]: unknown;
}

/** The answer to a write of raw values or CloudEvents. It does not list the events. */
export interface Intake {
  accepted: number;
  /** Kept as dead letters. */
  refused: number;
  /** The last position in each partition that was written to. */
  positions: LastPosition[];
  /** The first 100 that were refused. */
  errors: RefusedValue[];
}

export interface LastPosition {
  partition: number;
  offset: number;
}

/** A value that was refused, and where it is kept. */
export interface RefusedValue extends LastPosition {
  /** Of the value in the body, from 0. */
  index: number;
  code: string;
  status: number;
  detail: string;
}
