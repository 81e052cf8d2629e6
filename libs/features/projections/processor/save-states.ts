import {
  withWriteTrace,
  type Checkpointer,
  type KafkaOrClickHouseRetrier,
  deadLettersWritten,
} from '#engine';
import type { EventWriter, KeyedStateStore } from '#store';
import type { Tracing } from '#telemetry';
import type { PartitionProjector, UnsavedProjectionChanges } from './partition-projector.js';
import { saveSpans } from './save-spans.js';
import { projectionSaveDuration, projectionSavedRows } from './projection-metrics.js';

/** The checkpointer that all projections of a process share. */
export type ProjectionCheckpointer = Checkpointer<PartitionProjector, UnsavedProjectionChanges>;

interface StateSaveDependencies {
  writer: Pick<KeyedStateStore, 'save'> & Pick<EventWriter, 'appendDeadLetters'>;
  retry: KafkaOrClickHouseRetrier;
  tracing?: Tracing | undefined;
  /** Aborted when the process stops without waiting for running saves. */
  stopped: AbortSignal;
}

/**
 * Saves the unsaved changes of several partitions: first the dead letters, then the states, then the progress. Because
 * of this order, saved progress never includes states that are not saved.
 * @throws the signal's reason
 */
export function saveStates(
  saving: StateSaveDependencies,
  all: readonly UnsavedProjectionChanges[],
): Promise<void> {
  return withWriteTrace(saveSpans(saving.tracing, all), () => save(saving, all));
}

async function save(
  { writer, retry, stopped }: StateSaveDependencies,
  all: readonly UnsavedProjectionChanges[],
): Promise<void> {
  const letters = all.flatMap((one) => one.letters);
  const rows = all.flatMap((one) => one.rows);
  const observe = projectionSaveDuration.startTimer();
  if (letters.length > 0) {
    await retry.run('store', stopped, () => writer.appendDeadLetters(letters));
    deadLettersWritten.inc({ reason: 'cannot_be_folded' }, letters.length);
  }
  const progress = all.map((one) => one.progress);
  await retry.run('store', stopped, () => writer.save(rows, progress));
  observe();
  projectionSavedRows.inc(rows.length);
}
