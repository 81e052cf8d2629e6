import { setTimeout as sleep } from 'node:timers/promises';
import { CommitLine, PartitionErasures, warmUpStart } from '#engine';
import type { Micros } from '#event';
import type { Assignment } from '#log';
import { maxPipelineRows, type PipelineProgress, type StagePartition } from '#store';
import { noWatermark, type IdWindow } from '#dataflow';
import { ControlLine } from './control-line.js';
import { none } from './counts.js';
import { replayStage, type CurrentRun } from './current-run.js';
import { KeyedTask } from './keyed-task.js';
import { LostPlaceError } from './lost-place.js';
import { PartitionRows, type RowSource } from './partition-rows.js';
import { PartitionState } from './partition-state.js';
import { ReplayTask } from './replay-task.js';
import type { RunParts } from './run-parts.js';
import { saveLetters } from './save-stretches.js';
import { SourceTask } from './source-task.js';
import type { Task, TaskParts } from './task.js';

/** Between two looks whether the log has come to where it was. */
const lookMs = 500;

/** A partition that was assigned. */
export interface Opening {
  run: string;
  assignment: Assignment;
  /** Of a source, with where reading it begins that has not been read; undefined for a topic of the run's own. */
  source?: { stream: string; createdAt: string; start: number } | undefined;
  /** Of a stage's topic, or of the replays'. */
  stage?: string | undefined;
  window: IdWindow;
  ended: AbortSignal;
  readonly current: () => CurrentRun;
  readonly commit: (next: number) => Promise<boolean>;
}

export interface Opened {
  task: Task;
  /** Where reading begins. */
  start: number;
  /** What is below it is done, or is not for the run. */
  from: number;
}

/**
 * Makes the task of a partition, as it was saved last.
 * @throws LostPlaceError when what comes next is in the log no more, or the store has forgotten what was done
 */
export async function openTask(opening: Opening, parts: RunParts): Promise<Opened> {
  const { run, assignment, source, stage, ended } = opening;
  const { retry, writer } = parts;
  const { partition, position } = assignment;
  const place: StagePartition = { run, stage: stage ?? '', stream: source?.stream ?? '', partition };
  const saved = await retry.run('store', ended, () => writer.progressOf(place));
  checkPlace(opening, saved);
  // What a source's log had lost before anybody began is nobody's loss.
  const first = source ? Math.max(source.start, assignment.beginning) : 0;
  const from = saved?.next ?? first;
  const progress = saved ?? beginning(place, from, source?.createdAt);
  if (!saved)
    await retry.run('store', ended, () => writer.save([], [{ ...progress, updated_at: nowOf(parts) }]));
  const knowsIds = source !== undefined || stage === replayStage;
  const [start, oldest, end] = await retry.run('log', ended, async () => [
    knowsIds ? await warmStart(assignment, from, parts) : Math.min(from, position),
    await assignment.timestampAtPosition(),
    // Nobody is idle before it has read what there is.
    await endFrom(opening, from, parts),
  ]);
  ended.throwIfAborted();
  // What nothing follows has led to nothing.
  const before =
    saved && end > from
      ? await parts.writtenBefore(
          { savedAt: saved.updated_at, streams: opening.current().pipeline.writes, end },
          ended,
        )
      : undefined;
  const isKeyed = stage !== undefined && stage !== replayStage;
  const rows = isKeyed ? rowsOf({ opening, place, progress, saved }, parts) : undefined;
  const state = new PartitionState({
    ...{ name: opening.current().label.name, place, topic: assignment.topic, from, progress, rows, ended },
    before,
    commits: new CommitLine(position, (next) => retry.run('log', ended, () => opening.commit(next))),
    ...{ end, handledUntil: oldest ?? parts.now(), now: () => nowOf(parts) },
  });
  return { task: taskOf(opening, { state, rows }, parts), start, from };
}

function checkPlace({ assignment, source }: Opening, saved: PipelineProgress | undefined): void {
  const { position, beginning } = assignment;
  const where = whereOf({ assignment, source });
  if (!saved && position > Math.max(beginning, source?.start ?? 0))
    throw new LostPlaceError(`The store has lost how far ${where} was processed. Reset the pipeline.`);
  if (saved && saved.next < beginning)
    throw new LostPlaceError(`What comes next in ${where} is past its retention. Reset the pipeline.`);
  if (!saved && !source && beginning > 0)
    throw new LostPlaceError(`The beginning of ${where} is past its retention. Reset the pipeline.`);
  if (saved && source && saved.state !== source.createdAt)
    throw new LostPlaceError(`The stream ${source.stream} is not the one that was read. Reset the pipeline.`);
}

/** A source's state says which stream of the name it is. */
function beginning(place: StagePartition, next: number, createdAt = ''): PipelineProgress {
  return { ...place, ...none, next, watermark: null, state: createdAt, updated_at: 0 };
}

function whereOf({ assignment, source }: Pick<Opening, 'assignment' | 'source'>): string {
  const { topic, partition } = assignment;
  return `partition ${partition} of ${source ? `the stream ${source.stream}` : `its topic ${topic}`}`;
}

/**
 * The log's end, which is not below what was read.
 * @throws LostPlaceError when it is: the topic was made anew, or its last records were lost. What comes there now would be
 * taken for what is done already.
 */
async function endFrom(opening: Opening, from: number, { log, pace }: RunParts): Promise<number> {
  const { topic, partition, position } = opening.assignment;
  const until = performance.now() + pace.goneMs;
  for (;;) {
    const offsets = await log.admin.offsets(topic);
    const end = offsets.find((one) => one.partition === partition)?.end ?? position;
    if (end >= from) return end;
    // A broker that has just become the leader says too little at first.
    if (performance.now() >= until) break;
    await sleep(Math.min(lookMs, pace.goneMs), undefined, { signal: opening.ended });
  }
  throw new LostPlaceError(
    `The log ends before what was read of ${whereOf(opening)}: it was made anew, or has lost records. Reset the pipeline.`,
  );
}

/** As far before `from` as the id window needs. */
async function warmStart(assignment: Assignment, from: number, { window, now }: RunParts): Promise<number> {
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
    place: StagePartition;
    progress: PipelineProgress;
    saved: PipelineProgress | undefined;
  },
  { retry, writer, budget }: RunParts,
): PartitionRows {
  const { ended } = opening;
  const source: RowSource = {
    load: async (names) => {
      const rows = [];
      for (let at = 0; at < names.length; at += maxPipelineRows) {
        const some = names.slice(at, at + maxPipelineRows);
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
  { source, stage, window, ended, current }: Opening,
  { state, rows }: { state: PartitionState; rows: PartitionRows | undefined },
  parts: RunParts,
): Task {
  const { emitter, tables, retry, saver, producer, erasures } = parts;
  const shared: TaskParts = {
    ...{ state, current, emitter },
    load: (lookups, found) => {
      const wanted = [...lookups];
      return retry.run('store', ended, () => tables.load(wanted, found));
    },
    saveLetters: (letters) => saveLetters({ writer: parts.writer, retry, stopped: ended }, letters),
    permit: () => saver.turn(state),
    controls: new ControlLine((records) => producer.append(records), parts.pace.tellMs),
    now: () => nowOf(parts),
  };
  if (stage !== undefined && rows) return new KeyedTask({ ...shared, stage, rows });
  if (stage === replayStage) return new ReplayTask({ ...shared, window, erasures });
  const { stream } = source!;
  const place = { stream, partition: state.partition };
  return new SourceTask({ ...shared, stream, window, erasures: new PartitionErasures(erasures, place) });
}

function nowOf({ now }: RunParts): Micros {
  return now() * 1000;
}
