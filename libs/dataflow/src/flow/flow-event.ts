import { decodeRecord } from '#event';
import { logEventValue, type LogEvent } from '#cel';
import type { ValueObject } from '#cel';
import type { FoldEvent } from '../folds/fold-event.js';
import type { Position } from '../fold-operations/position.js';
import type { FlowEvent, Origin } from './flow.js';

/**
 * An event on its way, as expressions and folds read it: its JSON is parsed once, when one asks for it, however many
 * operators look at it.
 */
export class ReadableFlow implements FlowEvent, FoldEvent {
  #value: ValueObject | undefined = undefined;

  constructor(
    readonly event: LogEvent,
    readonly origin: Origin,
  ) {}

  /** What has been made of one event stands in one order: events of one origin differ in its path. */
  get position(): Position {
    const { stream, partition, offset, path } = this.origin;
    return [this.event.timestamp, partition, offset, path === '' ? stream : `${stream} ${path}`];
  }

  /** The event as expressions see it. */
  get value(): ValueObject {
    return (this.#value ??= logEventValue(this.event));
  }

  /** The same event with other content. */
  with(changed: Partial<LogEvent>): ReadableFlow {
    return new ReadableFlow({ ...this.event, ...changed }, this.origin);
  }

  /** One of several that have been made of it. */
  part(changed: Partial<LogEvent>, index: string): ReadableFlow {
    const { origin } = this;
    return new ReadableFlow(
      { ...this.event, ...changed },
      { ...origin, path: origin.path === '' ? index : `${origin.path}/${index}` },
    );
  }
}

/** An event of a source's log as a pipeline takes it. */
export function sourceFlow(event: LogEvent): FlowEvent {
  const { stream, partition, offset } = event;
  return new ReadableFlow(event, { stream, partition, offset, path: '' });
}

const withoutId = '{"event_id":""';
const anyId = '{"event_id":"00000000-0000-0000-0000-000000000000"';

/**
 * An event on its way whose record was written down: what `encodeRecord` has made of it. Results of windows have no id, and
 * no stream.
 * @throws UnreadableRecordError
 */
export function recordFlow(text: string, origin: Origin): FlowEvent {
  const { partition, offset } = origin;
  if (!text.startsWith(withoutId))
    return new ReadableFlow({ ...decodeRecord(text), stream: origin.stream, partition, offset }, origin);
  const record = decodeRecord(anyId + text.slice(withoutId.length));
  return new ReadableFlow({ ...record, event_id: '', stream: '', partition, offset }, origin);
}

/** As expressions read it; the same object where it is that already. */
export function readable(flow: FlowEvent): ReadableFlow {
  return flow instanceof ReadableFlow ? flow : new ReadableFlow(flow.event, flow.origin);
}
