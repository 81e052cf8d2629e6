import { withAnySignal } from '#async';
import {
  FencedError,
  PartitionErasureLookup,
  warmUpStart,
  type OwnedPartition,
  type PartitionTask,
} from '#engine';
import type { EpochMicros } from '#json';
import type { StreamId } from '#event';
import type { NewlyAssignedPartition } from '#kafka';
import { maxStateKeys, type PartitionCheckpoint, type StatePartitionKey } from '#store';
import { IdWindow } from '#dataflow';
import { noWatermark, replayStage } from '#features/pipelines/computation';
import { endAfterCheckpoint, initialProgress, NotResumableError, saveDeadLetters } from '#processor-kit';
import { WatermarkBroadcaster } from '../output/watermark-broadcaster.js';
import type { JobConfiguration } from '../stages/job-configuration.js';
import { JobTask } from './job-task.js';
import { EventErasures } from '../stages/event-erasures.js';
import { KeyedStageTask } from '../stages/keyed-stage-task.js';
import { PartitionRowCache, type StoredRowReader } from '../state/partition-row-cache.js';
import { JobPartitionState } from '../state/job-partition-state.js';
import { DeadLetterReplayTask } from '../stages/dead-letter-replay-task.js';
import type { JobDependencies } from './job-dependencies.js';
import { SourceTask } from '../stages/source-task.js';
import type { StageTask, StageTaskDependencies } from '../stages/stage-task.js';

/** An assigned partition of a job, and the stage of the job that reads the partition. */
export interface AssignedJobPartition {
  run: string;
  partition: OwnedPartition;
  /** The source stream, and the offset from which a new job reads the partition; undefined for an internal topic. */
  source?: { stream: string; id: StreamId; start: number } | undefined;
  /** Returns the id of a stream that the job reads; undefined for any other stream. */
  readonly idOf: (stream: string) => StreamId | undefined;
  /**
   * Id of the keyed stage that reads the partition of an internal topic, or `replayStage`; undefined for a source
   * partition.
   */
  stage?: string | undefined;
  readonly current: () => JobConfiguration;
}

/**
 * Creates the task of an assigned partition from the last checkpoint of the partition.
 * @throws NotResumableError when Kafka no longer has the next record, or the store no longer has the checkpoint
 */
export async function openTask(
  opening: AssignedJobPartition,
  dependencies: JobDependencies,
): Promise<JobTask> {
  const { run, partition, source, stage } = opening;
  const { assignment, ended } = partition;
  const { retry, writer } = dependencies;
  const place: StatePartitionKey = {
    owner: run,
    stage: stage ?? '',
    stream: source?.stream ?? '',
    partition: partition.partition,
  };
  const saved = await retry.run('store', ended, () => writer.progressOf(place));
  checkCheckpoint(opening, saved);
  // Records that were deleted before the job was created are not counted as lost.
  const first = source ? Math.max(source.start, assignment.beginning) : 0;
  const from = saved?.next ?? first;
  // The state of a source partition is the id of its stream.
  const progress: PartitionCheckpoint = saved ?? {
    ...{ ...place, ...initialProgress, next: from, updated_at: 0 },
    state: source?.id ?? '',
    steps: {},
  };
  if (!saved)
    await retry.run('store', ended, () =>
      writer.save([], [{ ...progress, updated_at: nowOf(dependencies) }]),
    );
  const isKeyed = stage !== undefined && stage !== replayStage;
  const [warmUp, end] = await retry.run('log', ended, async () => [
    isKeyed ? Math.min(from, assignment.position) : await warmStart(assignment, from, dependencies),
    // A partition counts as idle only after the task has read the partition up to the end offset at the assignment.
    await endAfterCheckpoint(partition, progress, {
      ...{ log: dependencies.log, where: whereOf(opening), reset: 'pipeline' },
      patienceMs: dependencies.pace.goneMs,
    }),
  ]);
  partition.end = end;
  ended.throwIfAborted();
  // If the partition has no record after the saved offset, no process has emitted anything since the checkpoint.
  const before =
    saved && end > from
      ? await dependencies.deduplication(
          { savedAt: saved.updated_at, streams: opening.current().pipeline.writes, end },
          ended,
        )
      : undefined;
  // A task saves the progress of a partition before any row. Without saved progress, the store therefore has no rows of
  // the partition.
  const rows = isKeyed
    ? new PartitionRowCache(
        { complete: !saved, closedTo: progress.watermark ?? noWatermark, count: progress.rows },
        { source: storedRows(place, ended, dependencies), budget: dependencies.budget },
      )
    : undefined;
  const state = new JobPartitionState({
    ...{ name: opening.current().label.name, place, partition, from, progress, rows, before },
    now: () => nowOf(dependencies),
  });
  const opened = taskOf(opening, { state, rows, from, warmUp }, dependencies);
  return new JobTask({ ...opened, partition, from, dependencies, current: opening.current });
}

function checkCheckpoint(
  { partition, source }: AssignedJobPartition,
  saved: PartitionCheckpoint | undefined,
): void {
  const { position, beginning } = partition.assignment;
  const where = whereOf({ partition, source });
  if (!saved && position > Math.max(beginning, source?.start ?? 0))
    throw new NotResumableError(`The store has lost the checkpoint of ${where}. Reset the pipeline.`);
  if (saved && saved.next < beginning)
    throw new NotResumableError(`The next record of ${where} is past its retention. Reset the pipeline.`);
  if (!saved && !source && beginning > 0)
    throw new NotResumableError(`The first record of ${where} is past its retention. Reset the pipeline.`);
  if (saved && source && saved.state !== source.id)
    throw new NotResumableError(
      `The stream ${source.stream} was deleted and created again since the checkpoint. Reset the pipeline.`,
    );
}

function whereOf({
  partition: { topic, partition },
  source,
}: Pick<AssignedJobPartition, 'partition' | 'source'>): string {
  return `partition ${partition} of ${source ? `the stream ${source.stream}` : `the internal topic ${topic}`}`;
}

/**
 * Resolves with the offset before `from` at which reading must start, so that the id window is filled when the task
 * reaches `from`.
 */
async function warmStart(
  assignment: NewlyAssignedPartition,
  from: number,
  { idWindows: { bounds: window }, now }: JobDependencies,
): Promise<number> {
  if (from >= assignment.position) return warmUpStart(assignment, window, now());
  const timestampAtPosition = (): Promise<undefined> => Promise.resolve(undefined);
  return warmUpStart({ ...assignment, position: from, timestampAtPosition }, window, now());
}

function storedRows(
  place: StatePartitionKey,
  ended: AbortSignal,
  { retry, writer }: JobDependencies,
): StoredRowReader {
  return {
    load: async (names) => {
      const rows = [];
      for (let at = 0; at < names.length; at += maxStateKeys) {
        const some = names.slice(at, at + maxStateKeys);
        rows.push(...(await retry.run('store', ended, () => writer.load(place, some))));
      }
      return rows;
    },
    due: (query) =>
      retry.run('store', ended, () => writer.due(place, { ...query, until: Number.MAX_SAFE_INTEGER })),
  };
}

/** A task, the offset from which it reads its partition, and its id window. */
interface OpenedTask {
  task: StageTask;
  start: number;
  window?: PartitionTask['window'];
}

/** Creates the task. The method is synchronous, so that an id window that is opened here is also closed by the task. */
function taskOf(
  { source, stage, partition: { assignment, ended, closing }, current, idOf }: AssignedJobPartition,
  opened: { state: JobPartitionState; rows: PartitionRowCache | undefined; from: number; warmUp: number },
  dependencies: JobDependencies,
): OpenedTask {
  const { state, rows, from, warmUp } = opened;
  const { sink, tables, retry, checkpointer, producer, erasures, idWindows } = dependencies;
  const untilClosing = (attempt: (signal: AbortSignal) => Promise<void>) =>
    withAnySignal([ended, closing], (signal) =>
      retry
        .run('store', ended, () => attempt(signal))
        .catch((error: unknown) => {
          if (signal.aborted && !ended.aborted)
            throw new FencedError('the process stops while a look-up waits');
          throw error;
        }),
    );
  const shared: StageTaskDependencies = {
    ...{ state, current, sink },
    load: (lookups, found) => untilClosing((signal) => tables.load(lookups, found, signal)),
    waitFor: (lookups) => untilClosing((signal) => tables.wait(lookups, signal)),
    saveDeadLetters: (letters) =>
      saveDeadLetters({ writer: dependencies.writer, retry, stopped: ended }, letters),
    permit: () => checkpointer.permit(ended),
    controls: new WatermarkBroadcaster((records) => producer.append(records), dependencies.pace.tellMs),
    now: () => nowOf(dependencies),
  };
  const kept = new EventErasures(erasures, idOf);
  if (stage !== undefined && rows)
    return { task: new KeyedStageTask({ ...shared, stage, rows, erasures: kept }), start: warmUp };
  if (stage === replayStage) {
    const window = new IdWindow(idWindows.bounds);
    return { task: new DeadLetterReplayTask({ ...shared, window, erasures: kept }), start: warmUp, window };
  }
  const { stream, id } = source!;
  const ofPartition = new PartitionErasureLookup(erasures, { stream: id, partition: state.place.partition });
  const { topic, partition, beginning } = assignment;
  const position = Math.min(from, assignment.position);
  const window = idWindows.open({
    ...{ topic, partition, beginning, position, warmUpStart: warmUp },
    epochBefore: (offset) => assignment.epochBefore(offset),
  });
  const task = new SourceTask({ ...shared, stream, window, erasures: ofPartition });
  return { task, start: window.start, window };
}

function nowOf({ now }: JobDependencies): EpochMicros {
  return now() * 1000;
}
