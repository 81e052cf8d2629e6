import { setTimeout as sleep } from 'node:timers/promises';
import { PartitionErasures, warmUpStart, type OwnedPartition } from '#engine';
import type { Micros, StreamId } from '#event';
import type { Assignment } from '#log';
import { maxStateKeys, type StateProgress, type StatePartition } from '#store';
import { IdWindow, noWatermark } from '#dataflow';
import { WatermarkBroadcast } from '../output/watermark-broadcast.js';
import { none } from '../output/counts.js';
import { replayStage, type CurrentJob } from '../stages/current-job.js';
import { JobTask } from './job-task.js';
import { KeyedTask } from '../stages/keyed-task.js';
import { CheckpointLostError } from '../stages/checkpoint-lost.js';
import { PartitionRows, type RowSource } from '../state/partition-rows.js';
import { PartitionState } from '../state/partition-state.js';
import { ReplayTask } from '../stages/replay-task.js';
import type { JobParts } from './job-parts.js';
import { saveDeadLetters } from '../state/save-batches.js';
import { SourceTask } from '../stages/source-task.js';
import type { Task, TaskParts } from '../stages/task.js';

/** Between two looks whether the log has come to where it was. */
const lookMs = 500;

/** A partition that was assigned. */
export interface Opening {
  run: string;
  partition: OwnedPartition;
  /** Of a source, with where reading it begins that has not been read; undefined for a topic of the job's own. */
  source?: { stream: string; id: StreamId; start: number } | undefined;
  /** The id of a stream that the job reads. */
  readonly idOf: (stream: string) => StreamId | undefined;
  /** Of a stage's topic, or of the replays'. */
  stage?: string | undefined;
  readonly current: () => CurrentJob;
}

/**
 * Makes the task of a partition, as it was saved last.
 * @throws CheckpointLostError when what comes next is in the log no more, or the store has forgotten what was done
 */
export async function openTask(opening: Opening, parts: JobParts): Promise<JobTask> {
  const { run, partition, source, stage } = opening;
  const { assignment, ended } = partition;
  const { retry, writer } = parts;
  const place: StatePartition = {
    ...{ owner: run, stage: stage ?? '', stream: source?.stream ?? '' },
    partition: partition.partition,
  };
  const saved = await retry.run('store', ended, () => writer.progressOf(place));
  checkPlace(opening, saved);
  // Records that were deleted before the job existed are not counted as lost.
  const first = source ? Math.max(source.start, assignment.beginning) : 0;
  const from = saved?.next ?? first;
  const progress = saved ?? beginning(place, from, source?.id);
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
  const state = new PartitionState({
    ...{ name: opening.current().label.name, place, partition, from, progress, rows, before },
    now: () => nowOf(parts),
  });
  const task = taskOf(opening, { state, rows, window }, parts);
  return new JobTask({ partition, task, start, from, parts, window: isKeyed ? undefined : window });
}

function checkPlace({ partition, source }: Opening, saved: StateProgress | undefined): void {
  const { position, beginning } = partition.assignment;
  const where = whereOf({ partition, source });
  if (!saved && position > Math.max(beginning, source?.start ?? 0))
    throw new CheckpointLostError(`The store has lost how far ${where} was processed. Reset the pipeline.`);
  if (saved && saved.next < beginning)
    throw new CheckpointLostError(`What comes next in ${where} is past its retention. Reset the pipeline.`);
  if (!saved && !source && beginning > 0)
    throw new CheckpointLostError(`The beginning of ${where} is past its retention. Reset the pipeline.`);
  if (saved && source && saved.state !== source.id)
    throw new CheckpointLostError(
      `The stream ${source.stream} is not the one that was read. Reset the pipeline.`,
    );
}

/** A source's state is the stream's id. */
function beginning(place: StatePartition, next: number, id = ''): StateProgress {
  return { ...place, ...none, next, watermark: null, state: id, updated_at: 0 };
}

function whereOf({ partition: { topic, partition }, source }: Pick<Opening, 'partition' | 'source'>): string {
  return `partition ${partition} of ${source ? `the stream ${source.stream}` : `its topic ${topic}`}`;
}

/**
 * The end of the log. It is at or above `from`.
 * @throws CheckpointLostError when the end is below `from`: the topic was created again, or has lost its last
 * records. The job would take new records for records that it has processed.
 */
async function endFrom(opening: Opening, from: number, { log, pace }: JobParts): Promise<number> {
  const { topic, partition, position } = opening.partition.assignment;
  const until = performance.now() + pace.goneMs;
  for (;;) {
    const offsets = await log.admin.offsets(topic);
    const end = offsets.find((one) => one.partition === partition)?.end ?? position;
    if (end >= from) return end;
    // A broker that has just become the leader says too little at first.
    if (performance.now() >= until) break;
    await sleep(Math.min(lookMs, pace.goneMs), undefined, { signal: opening.partition.ended });
  }
  throw new CheckpointLostError(
    `The log of ${whereOf(opening)} ends before the checkpoint: the topic was created again, or has lost records. Reset the pipeline.`,
  );
}

/** As far before `from` as the id window needs. */
async function warmStart(assignment: Assignment, from: number, { window, now }: JobParts): Promise<number> {
  if (from >= assignment.position) return warmUpStart(assignment, window, now());
  const { topic, partition, beginning: first } = assignment;
  const at: Assignment = {
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
    opening: Opening;
    place: StatePartition;
    progress: StateProgress;
    saved: StateProgress | undefined;
  },
  { retry, writer, budget }: JobParts,
): PartitionRows {
  const { ended } = opening.partition;
  const source: RowSource = {
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
  // A partition says that it begins before it saves anything: of one that has not there are no rows.
  return new PartitionRows(saved === undefined, progress.watermark ?? noWatermark, { source, budget });
}

function taskOf(
  { source, stage, partition: { ended }, current, idOf }: Opening,
  { state, rows, window }: { state: PartitionState; rows: PartitionRows | undefined; window: IdWindow },
  parts: JobParts,
): Task {
  const { sink, tables, retry, checkpointer, producer, erasures } = parts;
  const shared: TaskParts = {
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

function nowOf({ now }: JobParts): Micros {
  return now() * 1000;
}
