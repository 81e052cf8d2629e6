import { logEventValue, type LogEvent } from '../expressions/event-value.js';
import { hasPlainNumbers, parseExactJson, parseJson, parsePlainJson } from '../expressions/json.js';
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

export function foldEvent(event: LogEvent): FoldEvent {
  const position: Position = [event.timestamp, event.partition, event.offset, event.stream];
  if (hasPlainNumbers(event.data) && hasPlainNumbers(event.metadata)) {
    const value = logEventValue(event, parsePlainJson);
    return { position, exact: value, rounded: value };
  }
  return {
    position,
    exact: logEventValue(event, parseExactJson),
    rounded: logEventValue(event, parseJson),
  };
}
