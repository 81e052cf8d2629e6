import { withWriteTrace, type Checkpointer, type EngineRetry } from '#engine';
import type { EventWriter, KeyedStateWriter } from '#store';
import { metrics, type Tracing } from '#telemetry';
import type { PartitionProjector, UnsavedStates } from './partition-projector.js';
import { saveSpans } from './save-spans.js';

/** The checkpointer of all projections. */
export type StateCheckpointer = Checkpointer<PartitionProjector, UnsavedStates>;

export interface StateSaveDependencies {
  writer: Pick<KeyedStateWriter, 'save'> & Pick<EventWriter, 'appendDeadLetters'>;
  retry: EngineRetry;
  tracing?: Tracing | undefined;
  /** Aborted when the process stops without waiting for saves. */
  stopped: AbortSignal;
}

/**
 * Saves the changes of several partitions: first dead letters, then states, then progress. Saved progress therefore
 * never includes unsaved changes.
 * @throws the signal's reason
 */
export function saveStates(saving: StateSaveDependencies, all: readonly UnsavedStates[]): Promise<void> {
  return withWriteTrace(saveSpans(saving.tracing, all), () => save(saving, all));
}

async function save(
  { writer, retry, stopped }: StateSaveDependencies,
  all: readonly UnsavedStates[],
): Promise<void> {
  const letters = all.flatMap((one) => one.letters);
  const rows = all.flatMap((one) => one.rows);
  const observe = metrics.projectionSaveDuration.startTimer();
  if (letters.length > 0) {
    await retry.run('store', stopped, () => writer.appendDeadLetters(letters));
    metrics.deadLetters.inc({ reason: 'cannot_be_folded' }, letters.length);
  }
  const progress = all.map((one) => one.progress);
  await retry.run('store', stopped, () => writer.save(rows, progress));
  observe();
  metrics.projectionSavedRows.inc(rows.length);
}
