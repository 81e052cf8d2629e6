import { headerOf, type LogRecord } from '#log';
import { isTraceparent } from '#telemetry';

/** What a batch of a partition has of one request whose trace is recorded. */
export interface SampledRequest {
  /** Of the span that has written its records. */
  readonly traceparent: string;
  readonly requestId: string | undefined;
  readonly topic: string;
  readonly partition: number;
  /** Of its first record here. */
  readonly offset: number;
  /** How many records it has here. */
  records: number;
  /** When the first was appended, and when the batch was read, in milliseconds since 1970. */
  readonly appendedAt: number;
  readonly readAt: number;
}

/** Requests of one batch that are followed; those that come after them are not. */
const followed = 16;

const traceparentLength = 55;

/** The sampled requests that these records are of, from an offset on: the first so many. */
export function sampledRequests(records: readonly LogRecord[], from = 0): SampledRequest[] {
  const found = new Map<string, SampledRequest>();
  const readAt = Date.now();
  for (const record of records) {
    const traceparent = record.offset < from ? undefined : sampledTraceparent(record);
    if (traceparent === undefined) continue;
    const known = found.get(traceparent);
    if (known) known.records++;
    else if (found.size < followed) found.set(traceparent, requestOf(record, traceparent, readAt));
  }
  return [...found.values()];
}

/** Of most records the last digit alone is looked at: its lowest bit says that the trace is recorded. */
function sampledTraceparent(record: LogRecord): string | undefined {
  const header = headerOf(record, 'traceparent');
  if (header?.length !== traceparentLength) return undefined;
  const last = String.fromCharCode(header[traceparentLength - 1]!);
  if ((parseInt(last, 16) & 1) === 0) return undefined;
  const text = header.toString('latin1');
  return isTraceparent(text) ? text : undefined;
}

function requestOf(record: LogRecord, traceparent: string, readAt: number): SampledRequest {
  const { topic, partition, offset, timestamp } = record;
  const requestId = headerOf(record, 'x-request-id')?.toString();
  // Another machine's clock may be ahead of ours.
  const appendedAt = Math.min(timestamp, readAt);
  return { traceparent, requestId, topic, partition, offset, records: 1, appendedAt, readAt };
}
