import type { StoreWriteSpanOptions } from '#engine';
import type { Tracing } from '#telemetry';
import type { UnsavedProjectionChanges } from './partition-projector.js';

/**
 * Describes the trace spans of one checkpoint of projections. Returns undefined if tracing is off or no folded event
 * belongs to a traced request.
 */
export function saveSpans(
  tracing: Tracing | undefined,
  all: readonly UnsavedProjectionChanges[],
): StoreWriteSpanOptions | undefined {
  if (!tracing) return undefined;
  const followed = all.flatMap(({ name, sampled }) =>
    sampled.map((request) => ({ name: `project ${name}`, operation: 'project', request })),
  );
  if (followed.length === 0) return undefined;
  return {
    tracing,
    name: 'INSERT projections',
    attributes: {
      'db.system.name': 'clickhouse',
      'db.operation.name': 'INSERT',
      'db.operation.batch.size': all.reduce((sum, { rows }) => sum + rows.length, 0),
    },
    followed,
  };
}
