import { type KafkaOrClickHouseRetrier, deadLettersWritten } from '#engine';
import type { DeadLetter, EventWriter, KeyedStateStore } from '#store';
import type { UnsavedJobChanges } from './job-partition-state.js';
import { pipelineSavedRows } from './state-metrics.js';

interface BatchSaveDependencies {
  writer: Pick<KeyedStateStore, 'save'> & Pick<EventWriter, 'appendDeadLetters'>;
  retry: KafkaOrClickHouseRetrier;
  /** Aborted when the process stops without waiting for running saves. */
  stopped: AbortSignal;
}

/**
 * Saves the unsaved changes of several partitions: first the dead letters, then the rows and the progress of each job
 * together. Because of this order, saved progress never includes changes that are not saved.
 * @throws the signal's reason
 */
export async function saveBatches(
  saving: BatchSaveDependencies,
  all: readonly UnsavedJobChanges[],
): Promise<void> {
  const { writer, retry, stopped } = saving;
  const letters = all.flatMap((one) => one.letters);
  const rows = all.flatMap((one) => one.rows);
  await saveDeadLetters(saving, letters);
  const progress = all.map((one) => one.progress);
  await retry.run('store', stopped, () => writer.save(rows, progress));
  pipelineSavedRows.inc(rows.length);
}

/**
 * Stores dead letters and counts them in the metrics. Dead letters may be stored before the other outputs of their
 * batch, because a repeated batch yields the same dead letters.
 * @throws the signal's reason
 */
export async function saveDeadLetters(
  {
    writer,
    retry,
    stopped,
  }: Pick<BatchSaveDependencies, 'retry' | 'stopped'> & {
    writer: Pick<EventWriter, 'appendDeadLetters'>;
  },
  letters: readonly DeadLetter[],
): Promise<void> {
  if (letters.length === 0) return;
  await retry.run('store', stopped, () => writer.appendDeadLetters(letters));
  for (const { reason } of letters) deadLettersWritten.inc({ reason });
}
