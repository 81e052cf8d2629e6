/**
 * What happens to refused events of a request. `lenient` keeps them as dead letters and writes the rest. `strict`
 * does not keep them.
 */
export type RejectedEventHandling = 'lenient' | 'strict';

/**
 * Where the server takes the fields of an event from, for a body of arbitrary JSON values: for each field a constant,
 * or a JSON pointer into the value (`/user/id`).
 */
export interface RawValueMapping {
  event_type: string;
  /** The entity. Default: none. */
  entity_id?: string;
  /**
   * The id of an event within its stream. Default: derived from the body, so that a repeated request is stored once.
   */
  event_id?: string;
  /** The time when the event happened. Default: when the server receives it. */
  timestamp?: string;
  /** The version that the entity must have. Default: any. */
  expected_version?: string;
}

/** A CloudEvent of version 1.0 in the JSON format. Other members are extension attributes. */
export interface CloudEvent {
  specversion: string;
  id: string;
  source: string;
  type: string;
  [attribute: string]: unknown;
}

/** The answer to a write of raw values or CloudEvents. The answer does not list the events. */
export interface IntakeResult {
  accepted: number;
  /** The number of values kept as dead letters. */
  refused: number;
  /** The last written position in each partition. */
  positions: LastWrittenPosition[];
  /** The first 100 refused values. */
  errors: RefusedValue[];
}

/** The last position that a request has written in one partition. */
export interface LastWrittenPosition {
  partition: number;
  offset: number;
}

/** A refused value, and the position of the record that keeps it. */
export interface RefusedValue extends LastWrittenPosition {
  /** The index of the value in the body, from 0. Empty lines do not count. */
  index: number;
  code: string;
  status: number;
  /** The reason, with the first error. The dead letter has all errors. */
  detail: string;
  /** With `version_conflict`: the version of the entity. */
  current_version?: number;
}
