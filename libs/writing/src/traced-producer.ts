import type { NewRecord, Position, Producer } from '#log';
import { isSampled, type TraceSpan, type Tracing } from '#telemetry';

/** The producer itself while tracing is off. */
export function traced(producer: Producer, tracing: Tracing | undefined): Producer {
  return tracing ? new TracedProducer(producer, tracing) : producer;
}

/**
 * Shows appends: a span below the request's, which the records carry on in its place. The records of one request share
 * their headers; an append whose trace is not recorded goes on as it is.
 */
class TracedProducer implements Producer {
  constructor(
    private readonly inner: Producer,
    private readonly tracing: Tracing,
  ) {}

  get bytesInFlight(): number {
    return this.inner.bytesInFlight;
  }

  async append(records: readonly NewRecord[]): Promise<Position[]> {
    const [first] = records;
    const parent = first?.headers?.traceparent;
    if (!first || parent === undefined || !isSampled(parent)) return this.inner.append(records);
    const span = this.tracing.start(...sendSpan(first, records));
    try {
      const positions = await this.inner.append(carrying(span.traceparent, first.headers, records));
      showPosition(span, positions);
      span.end();
      return positions;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/**
 * One object of headers for all of them, as before: it is encoded once. The records are put together as `EventWriter`
 * does, member by member: copies of another shape would slow down what encodes them, for all others too.
 */
function carrying(
  traceparent: string,
  shared: NewRecord['headers'],
  records: readonly NewRecord[],
): NewRecord[] {
  const own = { ...shared, traceparent };
  return records.map(({ topic, key, value, headers }) => ({
    topic,
    key,
    value,
    headers: headers === shared ? own : (headers ?? {}),
  }));
}

function sendSpan(first: NewRecord, records: readonly NewRecord[]): Parameters<Tracing['start']> {
  const isOneTopic = records.every(({ topic }) => topic === first.topic);
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'send',
    'messaging.destination.name': isOneTopic ? first.topic : undefined,
    'messaging.batch.message_count': records.length,
    'tributary.request_id': first.headers?.['x-request-id'],
  };
  const name = isOneTopic ? `send ${first.topic}` : 'send';
  return [name, { kind: 'producer', parent: first.headers?.traceparent, parentIsLocal: true, attributes }];
}

function showPosition(span: TraceSpan, positions: readonly Position[]): void {
  const [only, ...others] = positions;
  if (!only || others.length > 0) return;
  span.set({
    'messaging.destination.partition.id': String(only.partition),
    'messaging.kafka.offset': only.offset,
  });
}
