import { setTimeout as sleep } from 'node:timers/promises';
import { PartitionErasures, warmUpStart, type OwnedPartition } from '#engine';
import type { EpochMicros, StreamId } from '#event';
import type { PartitionAssignment } from '#log';
import { maxStateKeys, type PartitionProgress, type StatePartitionKey } from '#store';
import { IdWindow, noWatermark, replayStage } from '#dataflow';
import { WatermarkBroadcast } from '../output/watermark-broadcast.js';
import { zeroCounts } from '../output/counts.js';
import type { JobConfiguration } from '../stages/job-configuration.js';
import { JobTask } from './job-task.js';
import { KeyedTask } from '../stages/keyed-task.js';
import { CheckpointLostError } from '../stages/checkpoint-lost.js';
import { PartitionRowCache, type StoredRowReader } from '../state/partition-row-cache.js';
import { JobPartitionState } from '../state/job-partition-state.js';
import { ReplayTask } from '../stages/replay-task.js';
import type { JobDependencies } from './job-dependencies.js';
import { saveDeadLetters } from '../state/save-batches.js';
import { SourceTask } from '../stages/source-task.js';
import type { StageTask, StageTaskDependencies } from '../stages/stage-task.js';

/** Milliseconds between two polls of the log's end offset. */
const pollMs = 500;

/** An assigned partition and the stage of the job that reads it. */
export interface AssignedJobPartition {
  run: string;
  partition: OwnedPartition;
  /** The source stream and the offset from which a new job reads the partition; undefined for an internal topic. */
  source?: { stream: string; id: StreamId; start: number } | undefined;
  /** Returns the id of a stream that the job reads. */
  readonly idOf: (stream: string) => StreamId | undefined;
  /** The stage whose topic is read, or `replayStage`; undefined for a source. */
  stage?: string | undefined;
  readonly current: () => JobConfiguration;
}

/**
 * Creates the task of an assigned partition from its last checkpoint.
 * @throws CheckpointLostError when Kafka no longer has the next record, or the store no longer has the checkpoint
 */
export async function openTask(opening: AssignedJobPartition, parts: JobDependencies): Promise<JobTask> {
  const { run, partition, source, stage } = opening;
  const { assignment, ended } = partition;
  const { retry, writer } = parts;
  const place: StatePartitionKey = {
    ...{ owner: run, stage: stage ?? '', stream: source?.stream ?? '' },
    partition: partition.partition,
  };
  const saved = await retry.run('store', ended, () => writer.progressOf(place));
  checkCheckpoint(opening, saved);
  // Records that were deleted before the job existed are not counted as lost.
  const first = source ? Math.max(source.start, assignment.beginning) : 0;
  const from = saved?.next ?? first;
  const progress = saved ?? initialProgressOf(place, from, source?.id);
  if (!saved)
    await retry.run('store', ended, () => writer.save([], [{ ...progress, updated_at: nowOf(parts) }]));
  const isKeyed = stage !== undefined && stage !== replayStage;
  const window = new IdWindow(parts.window);
  const [start, end] = await retry.run('log', ended, async () => [
    isKeyed ? Math.min(from, assignment.position) : await warmStart(assignment, from, parts),
    // A partition counts as idle only after the task has read to its present end.
    await endFrom(opening, from, parts),
  ]);
  partition.end = end;
  ended.throwIfAborted();
  // Without records after the saved offset, nothing has been emitted since.
  const before =
    saved && end > from
      ? await parts.deduplication(
          { savedAt: saved.updated_at, streams: opening.current().pipeline.writes, end },
          ended,
        )
      : undefined;
  const rows = isKeyed ? rowsOf({ opening, place, progress, saved }, parts) : undefined;
  const state = new JobPartitionState({
    ...{ name: opening.current().label.name, place, partition, from, progress, rows, before },
    now: () => nowOf(parts),
  });
  const task = taskOf(opening, { state, rows, window }, parts);
  return new JobTask({
    partition,
    task,
    start,
    from,
    parts,
    current: opening.current,
    window: isKeyed ? undefined : window,
  });
}

function checkCheckpoint(
  { partition, source }: AssignedJobPartition,
  saved: PartitionProgress | undefined,
): void {
  const { position, beginning } = partition.assignment;
  const where = whereOf({ partition, source });
  if (!saved && position > Math.max(beginning, source?.start ?? 0))
    throw new CheckpointLostError(`The store has lost the checkpoint of ${where}. Reset the pipeline.`);
  if (saved && saved.next < beginning)
    throw new CheckpointLostError(`The next record of ${where} is past its retention. Reset the pipeline.`);
  if (!saved && !source && beginning > 0)
    throw new CheckpointLostError(`The first record of ${where} is past its retention. Reset the pipeline.`);
  if (saved && source && saved.state !== source.id)
    throw new CheckpointLostError(
      `The stream ${source.stream} was deleted and created again since the checkpoint. Reset the pipeline.`,
    );
}

/** Returns the initial progress of a partition. Its `state` is the stream's id for a source, and empty otherwise. */
function initialProgressOf(place: StatePartitionKey, next: number, id = ''): PartitionProgress {
  return { ...place, ...zeroCounts, next, watermark: null, state: id, updated_at: 0 };
}

function whereOf({
  partition: { topic, partition },
  source,
}: Pick<AssignedJobPartition, 'partition' | 'source'>): string {
  return `partition ${partition} of ${source ? `the stream ${source.stream}` : `the internal topic ${topic}`}`;
}

/**
 * Resolves with the end offset of the partition, which is at or above `from`.
 * @throws CheckpointLostError when the end is below `from`: the topic was recreated or has lost its last records. The
 * job would mistake new records for records that it has processed.
 */
async function endFrom(
  opening: AssignedJobPartition,
  from: number,
  { log, pace }: JobDependencies,
): Promise<number> {
  const { topic, partition, position } = opening.partition.assignment;
  const until = performance.now() + pace.goneMs;
  for (;;) {
    const offsets = await log.admin.offsets(topic);
    const end = offsets.find((one) => one.partition === partition)?.end ?? position;
    if (end >= from) return end;
    // A broker that has just become the leader may report a lower end offset at first.
    if (performance.now() >= until) break;
    await sleep(Math.min(pollMs, pace.goneMs), undefined, { signal: opening.partition.ended });
  }
  throw new CheckpointLostError(
    `The log of ${whereOf(opening)} ends before the checkpoint: the topic was created again, or has lost records. Reset the pipeline.`,
  );
}

/** Resolves with the offset from which reading fills the id window before `from`. */
async function warmStart(
  assignment: PartitionAssignment,
  from: number,
  { window, now }: JobDependencies,
): Promise<number> {
  if (from >= assignment.position) return warmUpStart(assignment, window, now());
  const { topic, partition, beginning: first } = assignment;
  const at: PartitionAssignment = {
    ...{ topic, partition, beginning: first, position: from },
    offsetAt: (timestamp) => assignment.offsetAt(timestamp),
    timestampAtPosition: () => Promise.resolve(undefined),
  };
  return warmUpStart(at, window, now());
}

function rowsOf(
  {
    opening,
    place,
    progress,
    saved,
  }: {
    opening: AssignedJobPartition;
    place: StatePartitionKey;
    progress: PartitionProgress;
    saved: PartitionProgress | undefined;
  },
  { retry, writer, budget }: JobDependencies,
): PartitionRowCache {
  const { ended } = opening.partition;
  const source: StoredRowReader = {
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
  // A partition saves its progress before any row. Without saved progress, the store has no rows.
  return new PartitionRowCache(saved === undefined, progress.watermark ?? noWatermark, { source, budget });
}

function taskOf(
  { source, stage, partition: { ended }, current, idOf }: AssignedJobPartition,
  {
    state,
    rows,
    window,
  }: { state: JobPartitionState; rows: PartitionRowCache | undefined; window: IdWindow },
  parts: JobDependencies,
): StageTask {
  const { sink, tables, retry, checkpointer, producer, erasures } = parts;
  const shared: StageTaskDependencies = {
    ...{ state, current, sink },
    load: (lookups, found) => {
      const wanted = [...lookups];
      return retry.run('store', ended, () => tables.load(wanted, found));
    },
    saveDeadLetters: (letters) => saveDeadLetters({ writer: parts.writer, retry, stopped: ended }, letters),
    permit: () => checkpointer.permit(state),
    controls: new WatermarkBroadcast((records) => producer.append(records), parts.pace.tellMs),
    now: () => nowOf(parts),
  };
  if (stage !== undefined && rows) return new KeyedTask({ ...shared, stage, rows });
  if (stage === replayStage) return new ReplayTask({ ...shared, window, erasures, idOf });
  const { stream, id } = source!;
  const place = { stream: id, partition: state.place.partition };
  return new SourceTask({ ...shared, stream, window, erasures: new PartitionErasures(erasures, place) });
}

function nowOf({ now }: JobDependencies): EpochMicros {
  return now() * 1000;
}
