import { logEventValue, type LogEvent } from '#cel';
import type { ValueObject } from '#cel';
import type { Position } from '../fold-operations/position.js';

/** An event made ready to be folded: by any number of folds, its JSON read once, and only if one asks for it. */
export interface FoldEvent {
  readonly position: Position;
  /** The event as expressions see it. */
  readonly value: ValueObject;
}

export function foldEvent(event: LogEvent): FoldEvent {
  const position: Position = [event.timestamp, event.partition, event.offset, event.stream];
  return { position, value: logEventValue(event) };
}
