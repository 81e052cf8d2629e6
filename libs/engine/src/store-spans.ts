import type { SpanAttributes, TraceSpan, Tracing } from '#telemetry';
import type { SampledRequest } from './sampled-requests.js';

/** One request whose way to the store is shown. */
export interface Followed {
  /** What is done with its records: `materialize orders`. */
  name: string;
  operation: string;
  request: SampledRequest;
}

/** What is shown of one write to the store. */
export interface StoreSpans {
  tracing: Tracing;
  /** Of the write itself, such as `INSERT events`. */
  name: string;
  /** Default: `client`. */
  kind?: 'client' | 'internal';
  attributes: SpanAttributes;
  followed: readonly Followed[];
}

/** Requests of one write that are shown: as many as a span has links by OpenTelemetry's default. */
const shown = 128;

/**
 * Does the write. Each followed request gets a span in its own trace, from its first record being appended to all being
 * stored. The write has one span for all of them, as a batch has many parents and a span one: it belongs to the first,
 * and has links to and from the others. Without anything to follow, there is just the write.
 */
export async function inStoreSpans<T>(spans: StoreSpans | undefined, write: () => Promise<T>): Promise<T> {
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

/** The write's span first: it ends first. */
function begin({ tracing, name, kind = 'client', attributes, followed }: StoreSpans): TraceSpan[] {
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

function requestSpan(tracing: Tracing, { name, operation, request }: Followed): TraceSpan {
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
