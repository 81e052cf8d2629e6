import { decodeRecord, type EventFromKafka } from '#event';
import type { CelObject } from '#cel';
import { logEventValue, type FoldEvent, type FoldEventSortKey } from '#dataflow';
import type { PipelineEvent, Provenance } from './pipeline.js';

/** A pipeline event as expressions and folds read it. Its JSON is parsed on first use, once for all operators. */
export class LazilyParsedEvent implements PipelineEvent, FoldEvent {
  #value: CelObject | undefined = undefined;

  constructor(
    readonly event: EventFromKafka,
    readonly origin: Provenance,
    readonly joined?: PipelineEvent,
  ) {}

  /** The event's position in the order of folds; events of one source record differ in `path`. */
  get position(): FoldEventSortKey {
    const { stream, partition, offset, path } = this.origin;
    return [this.event.timestamp, partition, offset, path === '' ? stream : `${stream} ${path}`];
  }

  get value(): CelObject {
    return (this.#value ??= logEventValue(this.event));
  }

  with(changed: Partial<EventFromKafka>): LazilyParsedEvent {
    return new LazilyParsedEvent({ ...this.event, ...changed }, this.origin);
  }

  /** Returns an event derived from this one, with `index` appended to its emission index. */
  part(changed: Partial<EventFromKafka>, index: string): LazilyParsedEvent {
    const { origin } = this;
    return new LazilyParsedEvent(
      { ...this.event, ...changed },
      { ...origin, path: origin.path === '' ? index : `${origin.path}/${index}` },
    );
  }
}

/** Returns the event of a record in a source partition as an event of the pipeline, with its provenance. */
export function sourceEvent(event: EventFromKafka): PipelineEvent {
  const { stream, partition, offset } = event;
  return new LazilyParsedEvent(event, { stream, partition, offset, path: '' });
}

const withoutId = '{"event_id":""';
const anyId = '{"event_id":"00000000-0000-0000-0000-000000000000"';

/** Reads a record value of `encodeRecord`; a window result has no id and no stream. @throws UnreadableRecordError */
export function eventFromRecord(text: string, origin: Provenance): PipelineEvent {
  const { partition, offset } = origin;
  if (!text.startsWith(withoutId))
    return new LazilyParsedEvent({ ...decodeRecord(text), stream: origin.stream, partition, offset }, origin);
  const record = decodeRecord(anyId + text.slice(withoutId.length));
  return new LazilyParsedEvent({ ...record, event_id: '', stream: '', partition, offset }, origin);
}

/** Returns the event as a LazilyParsedEvent: the same object if it is one already. */
export function readableEvent(flow: PipelineEvent): LazilyParsedEvent {
  return flow instanceof LazilyParsedEvent ? flow : new LazilyParsedEvent(flow.event, flow.origin);
}
