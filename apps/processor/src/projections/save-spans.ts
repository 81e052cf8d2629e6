import type { StoreSpans } from '#engine';
import type { Tracing } from '#telemetry';
import type { Unsaved } from './partition-projector.js';

/** What is shown of one save; undefined while tracing is off, and where no traced request was folded. */
export function saveSpans(tracing: Tracing | undefined, all: readonly Unsaved[]): StoreSpans | undefined {
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
