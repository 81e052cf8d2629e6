import type { StoreWriteSpanOptions } from '#engine';
import type { Tracing } from '#telemetry';
import type { PendingBatch } from '../partition/materialized-partition.js';

/**
 * Describes the trace spans of one insert into ClickHouse. Returns undefined if tracing is off or no request in the
 * batches is traced.
 */
export function insertSpans(
  tracing: Tracing | undefined,
  batches: readonly PendingBatch[],
): StoreWriteSpanOptions | undefined {
  if (!tracing) return undefined;
  const followed = batches.flatMap(({ state, sampled = [] }) =>
    sampled.map((request) => ({
      name: `materialize ${state.name}`,
      operation: 'materialize',
      request,
    })),
  );
  if (followed.length === 0) return undefined;
  return {
    tracing,
    name: 'INSERT events',
    attributes: {
      'db.system.name': 'clickhouse',
      'db.operation.name': 'INSERT',
      'db.collection.name': 'events',
      'db.operation.batch.size': batches.reduce((sum, { rows }) => sum + rows.count, 0),
    },
    followed,
  };
}
