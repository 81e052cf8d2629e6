import { deadLettersWritten, type KafkaOrClickHouseRetrier, type UnsavedTaskChanges } from '#engine';
import type { DeadLetter, EventWriter, KeyedStateRow, KeyedStateStore, PartitionCheckpoint } from '#store';

/**
 * The unsaved changes of one partition of a projection or job. After they are saved, the offset `next` of the progress is
 * committed to Kafka.
 */
export interface UnsavedStateChanges extends UnsavedTaskChanges {
  letters: readonly DeadLetter[];
  rows: readonly KeyedStateRow[];
  progress: PartitionCheckpoint;
}

/** What `saveChanges` writes with. */
export interface ChangeSaveDependencies {
  writer: Pick<KeyedStateStore, 'save'> & Pick<EventWriter, 'appendDeadLetters'>;
  retry: KafkaOrClickHouseRetrier;
  /** Aborted when the process stops without waiting for running saves. */
  stopped: AbortSignal;
}

/**
 * Saves the unsaved changes of several partitions: first the dead letters, then the rows together with the progress.
 * Because of this order, saved progress never includes changes that are not saved. Resolves with the number of rows.
 * @throws the signal's reason
 */
export async function saveChanges(
  saving: ChangeSaveDependencies,
  all: readonly UnsavedStateChanges[],
): Promise<number> {
  const { writer, retry, stopped } = saving;
  const rows = all.flatMap((one) => one.rows);
  await saveDeadLetters(
    saving,
    all.flatMap((one) => one.letters),
  );
  const progress = all.map((one) => one.progress);
  await retry.run('store', stopped, () => writer.save(rows, progress));
  return rows.length;
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
  }: Omit<ChangeSaveDependencies, 'writer'> & {
    writer: Pick<EventWriter, 'appendDeadLetters'>;
  },
  letters: readonly DeadLetter[],
): Promise<void> {
  if (letters.length === 0) return;
  await retry.run('store', stopped, () => writer.appendDeadLetters(letters));
  for (const { reason } of letters) deadLettersWritten.inc({ reason });
}

/** Progress of a partition of which nothing is processed yet, without its key, offset and time. */
export const initialProgress = {
  processed: 0,
  emitted: 0,
  dropped: 0,
  late: 0,
  failed: 0,
  watermark: null,
  state: '',
} satisfies Partial<PartitionCheckpoint>;

const deadLetterWeight = 500;

/** Returns the approximate size of dead letters in characters. */
export function deadLettersWeight(letters: readonly DeadLetter[]): number {
  return letters.reduce((sum, { event, error }) => sum + deadLetterWeight + event.length + error.length, 0);
}
