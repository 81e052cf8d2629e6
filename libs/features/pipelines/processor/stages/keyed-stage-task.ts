import { TimeSlice } from '#async';
import { FencedError } from '#engine';
import type { EpochMicros } from '#json';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  addToStateEntries,
  UpstreamProgress,
  downstreamWatermark,
  pipelineLimits,
  readableEvent,
  type PipelineEvent,
  type KeyedStage,
  type StageResults,
  type StateEntriesAddResult,
} from '#features/pipelines/computation';
import { zeroCounts, sumCounts, type JobAndOperatorEventCounts } from '../output/counts.js';
import { upstreamPartitionName, type JobConfiguration } from './job-configuration.js';
import { unreadableDeadLetter } from '../output/dead-letters.js';
import { missingTopicError, requireReadable } from './job-not-resumable.js';
import type { OutputBuffer, InputRecordContext } from '../output/output-buffer.js';
import type { PartitionRowCache } from '../state/partition-row-cache.js';
import { batchEnd } from './batch-end.js';
import type { EventErasures } from './event-erasures.js';
import { readStageRecord, type RepartitionedEvent, type StageRecord } from '../output/stage-record.js';
import { beginBatch, type BatchComputation } from './batch-computation.js';
import type { StageTask, StageBatchResult, StageTaskDependencies } from './stage-task.js';

/** Maximum number of state rows that the records of one part of a batch belong to. */
const partRows = 5000;
/** Limits of results that wait for the operator chain of the stage: their number and approximate characters. */
const [mostResults, mostWeight] = [1000, 4 * 1024 * 1024];

export interface KeyedStageTaskOptions extends StageTaskDependencies {
  stage: string;
  rows: PartitionRowCache;
  /** The most state entries of the partition. */
  mostRows?: number;
  erasures: Pick<EventErasures, 'include'>;
}

interface DecodedStageRecord {
  readonly record: ConsumerRecord;
  readonly read: StageRecord | undefined;
  readonly names: readonly string[];
}

interface ChainInputResult extends InputRecordContext {
  readonly flow: PipelineEvent;
}

/** The state of the computation of one part of a batch. */
interface BatchPartComputation {
  readonly stage: KeyedStage;
  readonly output: OutputBuffer;
  readonly writing: BatchComputation;
  results: ChainInputResult[];
  /** Offset of the current record, and the number of results that the record has produced so far. */
  of: { offset: number; results: number };
  weight: number;
  closed: boolean;
  /** Offset of the first record of this part. All stored rows come from records below this offset. */
  readonly before: number;
}

/**
 * Processes one partition of a keyed stage. The results depend only on the records of that
 * partition.
 */
export class KeyedStageTask implements StageTask {
  readonly state = this.options.state;
  private readonly source = upstreamPartitionName(this.options.stage, this.state.place.partition);
  private known = '';
  private positions = this.positionsOf(this.options.current(), this.state.state);

  constructor(private readonly options: KeyedStageTaskOptions) {}

  async take(batch: RecordBatch): Promise<StageBatchResult> {
    const taken: StageBatchResult = { counts: zeroCounts, duplicates: 0, changed: false };
    const { state } = this;
    const fresh = batch.records.filter(({ offset }) => offset >= state.next);
    if (fresh.length < batch.records.length) this.requireTaken(batch.records);
    requireReadable(batch, state.next);
    const turn = new TimeSlice();
    for (let at = 0; at < fresh.length;) {
      const { end, bytes } = batchEnd(fresh, at);
      if (turn.over(bytes)) await turn.end();
      const run = this.options.current();
      const stage = run.stage(this.options.stage);
      // The stage was removed from the definition. The task skips no record, because the stage may be added again
      // before the partition is revoked.
      if (!stage) throw new FencedError('the stage was removed from the definition');
      const arrivals = arrivalsOf(fresh.slice(at, end), stage);
      at += arrivals.length;
      const next = at < fresh.length ? arrivals.at(-1)!.record.offset + 1 : batch.next;
      const { counts, changed } = await this.processPart(arrivals, { run, stage, next });
      taken.counts = sumCounts(taken.counts, counts);
      taken.changed ||= changed;
    }
    state.advance(batch.next);
    return taken;
  }

  async tell(): Promise<void> {
    const { state, source } = this;
    const { current, controls, stage } = this.options;
    const found = current().stage(stage);
    if (!found) return;
    const watermark = downstreamWatermark(state.watermark, found.operator.delay);
    await controls.tell(
      { source, next: state.next, watermark, idle: this.positions.isIdle },
      current().fedBy({ stage }),
      performance.now(),
    );
  }

  close(): void {
    this.options.rows.end();
  }

  /**
   * Checks that the records below `next` are the records that the job has already processed.
   * @throws NotResumableError when the records are others, because the topic was recreated
   */
  private requireTaken(records: readonly ConsumerRecord[]): void {
    for (const record of records) {
      if (record.offset >= this.state.next) return;
      const forwarded = readStageRecord(record)?.forwarded;
      if (forwarded && !this.positions.hasTaken(forwarded)) throw missingTopicError(record.topic);
    }
  }

  private positionsOf(run: JobConfiguration, saved: string): UpstreamProgress {
    const feeders = run.stage(this.options.stage) ? run.feedersOf(this.options.stage) : [];
    this.known = feeders.join();
    return new UpstreamProgress(feeders, saved === '' ? undefined : saved);
  }

  private async processPart(
    arrivals: readonly DecodedStageRecord[],
    { run, stage, next }: { run: JobConfiguration; stage: KeyedStage; next: number },
  ): Promise<{ counts: JobAndOperatorEventCounts; changed: boolean }> {
    const { state } = this;
    if (run.feedersOf(stage.id).join() !== this.known)
      this.positions = this.positionsOf(run, this.positions.save());
    const writing = beginBatch(run, this.source, this.options);
    const { output } = writing;
    const work: BatchPartComputation = {
      stage,
      output,
      writing,
      results: [],
      weight: 0,
      of: { offset: -1, results: 0 },
      closed: false,
      before: state.next,
    };
    await writing.compute(() => this.compute(arrivals, work));
    const { letters, totals: counts } = output;
    const { watermark } = this.positions;
    const { timestamp } = arrivals.at(-1)?.record ?? {};
    state.done({ next, letters, counts, watermark, state: this.positions.save(), timestamp });
    return { counts, changed: work.closed || arrivals.some(({ read }) => !read?.control) };
  }

  private async compute(arrivals: readonly DecodedStageRecord[], work: BatchPartComputation): Promise<void> {
    const { rows } = this.options;
    await rows.fetch(new Set(arrivals.flatMap(({ names }) => names)), work.before);
    this.state.ended.throwIfAborted();
    for (const arrival of arrivals) {
      // A window closes because the watermark advances. The window's results carry the watermark from before the
      // advance.
      const before = downstreamWatermark(this.positions.watermark, work.stage.operator.delay);
      const cause: InputRecordContext = { offset: arrival.record.offset, watermark: before, index: 0 };
      if (work.writing.isOver(arrival.record.value?.length ?? 0)) await work.writing.giveWay();
      if (!this.admit(arrival, work)) continue;
      const { watermark } = this.positions;
      if (rows.isDue(watermark)) await this.closeDue(watermark, work, cause);
      else rows.passTo(watermark);
      if (arrival.read?.forwarded) this.add(arrival, arrival.read, work);
      if (isFull(work)) await this.runResults(work);
    }
    await this.runResults(work);
  }

  /** Returns whether the record is processed further; false for a repeated or unreadable record. */
  private admit(
    { record, read }: DecodedStageRecord,
    { stage, output, writing }: BatchPartComputation,
  ): boolean {
    if (!read) {
      output.countFailed(stage.at);
      output.addLetter(unreadableDeadLetter(writing.run, record, { at: stage.at, now: this.options.now() }));
      return false;
    }
    if (read.control) this.positions.control(read.control);
    return read.forwarded ? this.positions.take(read.forwarded) : true;
  }

  private add(
    { record, names }: DecodedStageRecord,
    { key, forwarded }: { key: string; forwarded: RepartitionedEvent },
    work: BatchPartComputation,
  ): void {
    const { rows } = this.options;
    const { operator } = work.stage;
    // All windows of the event share this object, so that the JSON of the event is parsed once.
    const flow = readableEvent(forwarded.flow);
    const watermark: EpochMicros = Math.max(this.positions.watermark, forwarded.watermark);
    const cause: InputRecordContext = {
      offset: record.offset,
      watermark: downstreamWatermark(watermark, operator.delay),
      index: 0,
    };
    const there = { names, rowOf: (name: string) => rows.get(name) };
    const added = addToStateEntries(operator, there, {
      ...{ key, flow, values: forwarded.values, watermark },
      ...{ stageWatermark: this.positions.watermark, side: forwarded.side },
      isErased: (one) => this.options.erasures.include(one),
    });
    const { results, outcome } = this.isFull(added) ? tooManyRows(flow, work.stage.at) : added;
    if (outcome?.kind !== 'fail')
      for (const [name, row] of added.rows)
        rows.set(name, row, { position: record.offset, weight: record.value?.length ?? 0 });
    const { step, resultStep } = work.stage;
    if (!outcome && step !== resultStep) work.output.steps.leave(step);
    this.addResults(results, work, cause);
    if (outcome) work.output.add(outcome, cause);
  }

  /** Returns whether the partition has no room for the state entries that an event adds. */
  private isFull({ rows: added }: StateEntriesAddResult): boolean {
    const { rows, mostRows = pipelineLimits.stateRows } = this.options;
    const more = added.filter(([name]) => !rows.get(name)).length;
    return more > 0 && rows.count + more > mostRows;
  }

  private async closeDue(
    watermark: EpochMicros,
    work: BatchPartComputation,
    cause: InputRecordContext,
  ): Promise<void> {
    const { rows } = this.options;
    const { operator } = work.stage;
    for await (const names of rows.due(watermark, work.before)) {
      this.state.ended.throwIfAborted();
      work.closed ||= names.length > 0;
      for (const name of names) {
        if (work.writing.isOver(0)) await work.writing.giveWay();
        const before = rows.get(name);
        if (!before) continue;
        const { row, results } = operator.close(before, name, watermark);
        if (row) rows.set(name, row, { position: cause.offset, weight: 0 });
        else rows.close(name);
        this.addResults(results, work, cause);
        if (isFull(work)) await this.runResults(work);
      }
      await this.runResults(work);
    }
  }

  /**
   * Adds results of a record to the part, without those of events that were erased meanwhile. The index of a result
   * counts all events that enter the chain because of the same record, also those that are skipped: it must be the same
   * for a successor that skips others.
   */
  private addResults(flows: StageResults, work: BatchPartComputation, cause: InputRecordContext): void {
    const { of, results, stage } = work;
    if (of.offset !== cause.offset) Object.assign(of, { offset: cause.offset, results: 0 });
    for (const flow of flows) {
      const index = of.results++;
      if (!flow || this.options.erasures.include(flow)) continue;
      work.output.steps.leave(stage.resultStep);
      results.push({ ...cause, index, flow });
      work.weight += flow.event.data.length + flow.event.metadata.length;
    }
  }

  private async runResults(work: BatchPartComputation): Promise<void> {
    const { stage, writing, results } = work;
    if (results.length === 0) return;
    [work.results, work.weight] = [[], 0];
    await writing.take(stage.chain, results);
  }
}

function tooManyRows(flow: PipelineEvent, at: string): Pick<StateEntriesAddResult, 'results' | 'outcome'> {
  const detail =
    `The state of this operator has ${pipelineLimits.stateRows} keys and windows in the partition of the event, which is the ` +
    'most. Use a key with fewer values, or shorter windows.';
  return { results: [], outcome: { kind: 'fail', at, pointer: at, detail, flow } };
}

function isFull({ results, weight }: BatchPartComputation): boolean {
  return results.length >= mostResults || weight >= mostWeight;
}

/** Decodes the first of the given records, up to the limits of one part of a batch. */
function arrivalsOf(records: readonly ConsumerRecord[], { operator }: KeyedStage): DecodedStageRecord[] {
  const arrivals: DecodedStageRecord[] = [];
  let rows = 0;
  for (const record of records) {
    if (rows >= partRows) break;
    const read = readStageRecord(record);
    const names = read?.forwarded ? operator.rowsOf(read.key, read.forwarded.flow.event.timestamp) : [];
    rows += names.length;
    arrivals.push({ record, read, names });
  }
  return arrivals;
}
