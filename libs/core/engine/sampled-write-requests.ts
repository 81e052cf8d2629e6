import { headerOf, type ConsumerRecord } from '#kafka';
import { isTraceparent } from '#telemetry';

/** A traced write request, with the position and number of its records in one consumed batch. */
export interface SampledWriteRequest {
  /** Traceparent of the span that wrote the records. */
  readonly traceparent: string;
  readonly requestId: string | undefined;
  readonly topic: string;
  readonly partition: number;
  /** Offset of the request's first record in the batch. */
  readonly offset: number;
  /** Number of the request's records in the batch. */
  records: number;
  /** When the first record was appended, and when the batch was read, in milliseconds since 1970. */
  readonly appendedAt: number;
  readonly readAt: number;
}

/** Maximum number of write requests that are traced in one consumed batch. */
const followed = 16;

const traceparentLength = 55;

/** Returns the first 16 traced write requests whose records are in this batch, at or after the offset `from`. */
export function sampledRequests(records: readonly ConsumerRecord[], from = 0): SampledWriteRequest[] {
  const found = new Map<string, SampledWriteRequest>();
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

/** Returns the `traceparent` of a sampled record. For most, the last digit (the sampled flag) already says no. */
function sampledTraceparent(record: ConsumerRecord): string | undefined {
  const header = headerOf(record, 'traceparent');
  if (header?.length !== traceparentLength) return undefined;
  const last = String.fromCharCode(header[traceparentLength - 1]!);
  if ((parseInt(last, 16) & 1) === 0) return undefined;
  const text = header.toString('latin1');
  return isTraceparent(text) ? text : undefined;
}

function requestOf(record: ConsumerRecord, traceparent: string, readAt: number): SampledWriteRequest {
  const { topic, partition, offset, timestamp } = record;
  const requestId = headerOf(record, 'x-request-id')?.toString();
  // The broker's or producer's clock may be ahead of this one.
  const appendedAt = Math.min(timestamp, readAt);
  return { traceparent, requestId, topic, partition, offset, records: 1, appendedAt, readAt };
}
