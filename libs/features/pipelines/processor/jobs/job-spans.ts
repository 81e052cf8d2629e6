import { sampledRequests, type StoreWriteSpanOptions } from '#engine';
import type { ConsumerRecord } from '#kafka';
import type { Tracing } from '#telemetry';

/**
 * Describes the trace spans of one batch of a job. Returns undefined if tracing is off or no record of the batch
 * belongs to a traced request.
 */
export function jobSpans(
  tracing: Tracing | undefined,
  { name, records, from }: { name: string; records: readonly ConsumerRecord[]; from: number },
): StoreWriteSpanOptions | undefined {
  if (!tracing) return undefined;
  const requests = sampledRequests(records, from);
  if (requests.length === 0) return undefined;
  return {
    tracing,
    name: `run ${name}`,
    kind: 'internal',
    attributes: { 'messaging.batch.message_count': records.length },
    followed: requests.map((request) => ({ name: `pipeline ${name}`, operation: 'pipeline', request })),
  };
}
