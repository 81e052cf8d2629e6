import type { CelObject } from '#cel';
import type { EventFromKafka } from '#event';
import { logEventValue } from '../expressions/event-value.js';
import type { FoldEventSortKey } from '../fold-operations/position.js';

/** An event as folds read it. Several folds share one such event; its JSON is parsed once, on first use. */
export interface FoldEvent {
  readonly position: FoldEventSortKey;
  readonly value: CelObject;
}

export function foldEvent(event: EventFromKafka): FoldEvent {
  const position: FoldEventSortKey = [event.timestamp, event.partition, event.offset, event.stream];
  return { position, value: logEventValue(event) };
}
