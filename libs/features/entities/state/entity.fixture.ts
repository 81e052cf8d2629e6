import { randomUUID } from 'node:crypto';
import { allStreams } from '#api';
import type { EventRow } from '#store';

export const microsecondsOf2026 = 1_795_219_200_000_000;

/** An event of the entity `e` in a stream; its offset and times are derived from its version. */
export function entityEvent(
  stream: string,
  version: number,
  { data, timestamp }: { data: string; timestamp?: number },
): EventRow {
  return {
    ...{ stream, partition: 0, offset: version - 1, version, data },
    event_id: randomUUID(),
    event_type: 't',
    entity_id: 'e',
    timestamp: timestamp ?? microsecondsOf2026 + version,
    ingested_at: microsecondsOf2026 + version,
    schema_version: null,
    metadata: '{}',
  };
}

/** Returns a query for the entity `e` of a stream, with access to every stream. */
export const entityOf = (stream: string) => ({ access: allStreams, stream, entityId: 'e' });
