import type { EventFields } from '../expressions/event-value.js';
import { lazyEvent } from '../expressions/event-value.js';
import { hasPeculiarNumbers, parseExactJson, parseJson } from '../expressions/json.js';
import type { ValueObject } from '../expressions/values.js';
import type { Position } from './position.js';

/** An event made ready to be folded: by any number of folds, its JSON read once, and only if one asks for it. */
export interface FoldEvent {
  readonly position: Position;
  /** For `key` and `value`: every number as it was sent. */
  readonly exact: ValueObject;
  /** For `where`: numbers are doubles, as in queries. */
  readonly rounded: ValueObject;
}

/** @param fields of an event in the log; its version is not known there, so that nothing depends on it. */
export function foldEvent(fields: Omit<EventFields, 'version'>): FoldEvent {
  const event = { ...fields, version: null };
  const exact = lazyEvent(event, parseExactJson);
  const differs = hasPeculiarNumbers(fields.data) || hasPeculiarNumbers(fields.metadata);
  return {
    position: [fields.timestamp, fields.partition, fields.offset, fields.stream],
    exact,
    rounded: differs ? lazyEvent(event, parseJson) : exact,
  };
}
