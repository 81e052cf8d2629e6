import { withWriteTrace, type Checkpointer, type StoreWriteSpanOptions } from '#engine';
import { saveChanges, type ChangeSaveDependencies } from '#processor-kit';
import type { Tracing } from '#telemetry';
import type { PartitionProjector, UnsavedProjectionChanges } from './partition-projector.js';
import { projectionSaveDuration, projectionSavedRows } from './projection-metrics.js';

/** The checkpointer that all projections of a process share. */
export type ProjectionCheckpointer = Checkpointer<PartitionProjector, UnsavedProjectionChanges>;

/** Saves the unsaved changes of several partitions, as `saveChanges` does. @throws the signal's reason */
export function saveStates(
  saving: ChangeSaveDependencies & { tracing?: Tracing | undefined },
  all: readonly UnsavedProjectionChanges[],
): Promise<void> {
  return withWriteTrace(saveSpans(saving.tracing, all), async () => {
    const observe = projectionSaveDuration.startTimer();
    const rows = await saveChanges(saving, all);
    observe();
    projectionSavedRows.inc(rows);
  });
}

/**
 * Describes the trace spans of one checkpoint of projections. Returns undefined if tracing is off or no folded event
 * belongs to a traced request.
 */
function saveSpans(
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
