import { decodeRecord } from '#event';
import { logEventValue, type LogEvent } from '#cel';
import type { ValueObject } from '#cel';
import type { FoldEvent } from '../folds/fold-event.js';
import type { Position } from '../fold-operations/position.js';
import type { FlowEvent, Origin } from './flow.js';

/**
 * A pipeline event in the form that expressions and folds read. The event's JSON is parsed on first use, and only once
 * for all operators.
 */
export class ReadableFlow implements FlowEvent, FoldEvent {
  #value: ValueObject | undefined = undefined;

  constructor(
    readonly event: LogEvent,
    readonly origin: Origin,
  ) {}

  /**
   * The event's position in the order in which folds sort events. Events derived from the same source record differ in
   * their emission index (`path`).
   */
  get position(): Position {
    const { stream, partition, offset, path } = this.origin;
    return [this.event.timestamp, partition, offset, path === '' ? stream : `${stream} ${path}`];
  }

  /** The event as a CEL value. */
  get value(): ValueObject {
    return (this.#value ??= logEventValue(this.event));
  }

  /** Returns the event with some fields replaced and with the same provenance. */
  with(changed: Partial<LogEvent>): ReadableFlow {
    return new ReadableFlow({ ...this.event, ...changed }, this.origin);
  }

  /** Returns one of several events derived from this event. Appends `index` to its emission index. */
  part(changed: Partial<LogEvent>, index: string): ReadableFlow {
    const { origin } = this;
    return new ReadableFlow(
      { ...this.event, ...changed },
      { ...origin, path: origin.path === '' ? index : `${origin.path}/${index}` },
    );
  }
}

/** Returns the pipeline event of a record in a source partition. */
export function sourceFlow(event: LogEvent): FlowEvent {
  const { stream, partition, offset } = event;
  return new ReadableFlow(event, { stream, partition, offset, path: '' });
}

const withoutId = '{"event_id":""';
const anyId = '{"event_id":"00000000-0000-0000-0000-000000000000"';

/**
 * Reads a pipeline event from a record value that `encodeRecord` wrote. A window result has neither an id nor a stream.
 * @throws UnreadableRecordError
 */
export function recordFlow(text: string, origin: Origin): FlowEvent {
  const { partition, offset } = origin;
  if (!text.startsWith(withoutId))
    return new ReadableFlow({ ...decodeRecord(text), stream: origin.stream, partition, offset }, origin);
  const record = decodeRecord(anyId + text.slice(withoutId.length));
  return new ReadableFlow({ ...record, event_id: '', stream: '', partition, offset }, origin);
}

/** Returns the event as a ReadableFlow: the same object if it is one already. */
export function readable(flow: FlowEvent): ReadableFlow {
  return flow instanceof ReadableFlow ? flow : new ReadableFlow(flow.event, flow.origin);
}
