import type { AppendOptions, ProducerRecord, RecordPosition, Producer } from '#kafka';
import { isSampled, type TraceSpan, type Tracing } from '#telemetry';

/** Wraps a producer so that its appends are traced; returns the producer itself if tracing is off. */
export function traced(producer: Producer, tracing: Tracing | undefined): Producer {
  return tracing ? new TracedProducer(producer, tracing) : producer;
}

/**
 * Traces appends. Each append has a span below the request's span, and the records carry the traceparent of this span.
 * The records of one request share their headers. An append without a sampled trace is passed on unchanged.
 */
class TracedProducer implements Producer {
  constructor(
    private readonly inner: Producer,
    private readonly tracing: Tracing,
  ) {}

  get bytesInFlight(): number {
    return this.inner.bytesInFlight;
  }

  async append(records: readonly ProducerRecord[], options?: AppendOptions): Promise<RecordPosition[]> {
    const [first] = records;
    const parent = first?.headers?.traceparent;
    if (!first || parent === undefined || !isSampled(parent)) return this.inner.append(records, options);
    const span = this.tracing.start(...sendSpan(first, records));
    try {
      const positions = await this.inner.append(carrying(span.traceparent, first.headers, records), options);
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
 * Copies the records with another traceparent. The copied records share one headers object, which is encoded once. The
 * copies have the same member order as those of `EventAppender`: another shape would slow down the encoder for all
 * records.
 */
function carrying(
  traceparent: string,
  shared: ProducerRecord['headers'],
  records: readonly ProducerRecord[],
): ProducerRecord[] {
  const own = { ...shared, traceparent };
  return records.map(({ topic, key, value, headers }) => ({
    topic,
    key,
    value,
    headers: headers === shared ? own : (headers ?? {}),
  }));
}

function sendSpan(first: ProducerRecord, records: readonly ProducerRecord[]): Parameters<Tracing['start']> {
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

function showPosition(span: TraceSpan, positions: readonly RecordPosition[]): void {
  const [only, ...others] = positions;
  if (!only || others.length > 0) return;
  span.set({
    'messaging.destination.partition.id': String(only.partition),
    'messaging.kafka.offset': only.offset,
  });
}
