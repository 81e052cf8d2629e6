import type { SpanAttributes, TraceSpan, Tracing } from '#telemetry';
import type { SampledWriteRequest } from './sampled-write-requests.js';

/** A traced write request, with the name of the span that covers its records from Kafka to ClickHouse. */
interface TracedRequest {
  /** Name of the request's span, such as `materialize orders`. */
  name: string;
  operation: string;
  request: SampledWriteRequest;
}

/** The span of one write to ClickHouse, and the requests whose records the write stores. */
export interface StoreWriteSpanOptions {
  tracing: Tracing;
  /** Name of the write's span, such as `INSERT events`. */
  name: string;
  /** Kind of the write's span; default: `client`. */
  kind?: 'client' | 'internal';
  attributes: SpanAttributes;
  followed: readonly TracedRequest[];
}

/** Maximum number of requests of one write that get a span. 128 is OpenTelemetry's default limit of links on a span. */
const shown = 128;

/**
 * Runs a write to ClickHouse and traces it. Each followed request gets a span in its own trace, from the append of its
 * first record until all records are stored. The write has one span for all requests: its parent is the span of the
 * first request, and links connect it with the others. Without `spans`, only the write runs.
 */
export async function withWriteTrace<T>(
  spans: StoreWriteSpanOptions | undefined,
  write: () => Promise<T>,
): Promise<T> {
  const begun = spans ? begin(spans) : [];
  try {
    const result = await write();
    for (const span of begun) span.end();
    return result;
  } catch (error) {
    for (const span of begun) span.end(error);
    throw error;
  }
}

/** Starts the spans. The write's span is the first, so that it ends first. */
function begin({ tracing, name, kind = 'client', attributes, followed }: StoreWriteSpanOptions): TraceSpan[] {
  const requests = followed
    .slice(0, shown)
    .map((one) => requestSpan(tracing, one))
    .filter(({ recording }) => recording);
  const [first, ...others] = requests;
  if (!first) return [];
  const write = tracing.start(name, {
    kind,
    parent: first.traceparent,
    parentIsLocal: true,
    links: others.map(({ traceparent }) => traceparent),
    attributes,
  });
  for (const other of others) other.link(write.traceparent);
  return [write, ...requests];
}

function requestSpan(tracing: Tracing, { name, operation, request }: TracedRequest): TraceSpan {
  const span = tracing.start(name, {
    kind: 'consumer',
    parent: request.traceparent,
    startedAt: request.appendedAt,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.operation.name': operation,
      'messaging.destination.name': request.topic,
      'messaging.destination.partition.id': String(request.partition),
      'messaging.kafka.offset': request.offset,
      'messaging.batch.message_count': request.records,
      'tributary.request_id': request.requestId,
    },
  });
  span.event('read', request.readAt);
  return span;
}
