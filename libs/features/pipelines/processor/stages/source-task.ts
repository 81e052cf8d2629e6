import { decodeLogRecord, FencedError, type PartitionErasureLookup } from '#engine';
import { TimeSlice } from '#async';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  PartitionWatermarkGenerator,
  sourceEvent,
  type OperatorChain,
  type PipelineEvent,
  type StreamInput,
} from '#features/pipelines/computation';
import { type IdWindowReader } from '#dataflow';
import {
  zeroCounts,
  sumCounts,
  type JobAndOperatorEventCounts,
  type EventOutcomeCounts,
} from '../output/counts.js';
import { upstreamPartitionName } from './job-configuration.js';
import type { InputRecordContext } from '../output/output-buffer.js';
import { batchEnd } from './batch-end.js';
import { beginBatch } from './batch-computation.js';
import type { StageTask, StageBatchResult, StageTaskDependencies } from './stage-task.js';

/**
 * Milliseconds between two calls of `tell` from which on the process counts as having been suspended. The calls are
 * normally a tenth of a second apart.
 */
const suspendedMs = 1000;

export interface SourceTaskOptions extends StageTaskDependencies {
  stream: string;
  window: Pick<IdWindowReader, 'repeatsWords' | 'pass' | 'close'>;
  erasures: Pick<PartitionErasureLookup, 'endOf'>;
}

interface SelectedEvent extends InputRecordContext {
  readonly flow: PipelineEvent;
  readonly chain: OperatorChain;
}

/** Processes one partition of a source stream, in the first stage of a job. */
export class SourceTask implements StageTask {
  readonly state = this.options.state;
  private readonly source = upstreamPartitionName(this.options.stream, this.state.place.partition);
  private idleAfterMs = this.options.current().pipeline.idleAfterMs;
  private watermark = this.newWatermark();
  private busy = false;
  private duplicates = 0;
  private lookedAt = performance.now();

  constructor(private readonly options: SourceTaskOptions) {}

  async take(batch: RecordBatch): Promise<StageBatchResult> {
    this.busy = true;
    this.duplicates = 0;
    let counts = zeroCounts;
    const { records } = batch;
    const turn = new TimeSlice();
    for (let at = 0; at < records.length;) {
      const { end, bytes } = batchEnd(records, at);
      if (turn.over(bytes)) await turn.end();
      const some = records.slice(at, end);
      const isLast = end >= records.length;
      counts = sumCounts(counts, await this.processPart(some, isLast ? batch.next : some.at(-1)!.offset + 1));
      at = end;
    }
    this.state.advance(batch.next);
    this.busy = false;
    return { counts, duplicates: this.duplicates, changed: true };
  }

  async tell(): Promise<void> {
    const { state, source: name } = this;
    const { current, controls, now } = this.options;
    const nowMs = now() / 1000;
    const stoodStill = this.stoodStill();
    const atEnd = !this.busy && !stoodStill && state.next >= state.partition.end;
    // During a batch, `this.watermark` includes events whose outputs are not written yet, so the broadcast has the
    // watermark of the last completed batch.
    const progress = this.busy
      ? { watermark: state.watermark, idle: false }
      : this.watermark.progress({ nowMs, atEnd });
    const control = { source: name, next: state.next, ...progress };
    await controls.tell(control, current().fedBy({ stream: this.options.stream }), performance.now());
  }

  close(): void {
    this.options.window.close();
  }

  /**
   * Returns whether the process was suspended since the last call of `tell`. After a suspension, the known end offset
   * of the partition is outdated.
   */
  private stoodStill(): boolean {
    const before = this.lookedAt;
    this.lookedAt = performance.now();
    return this.lookedAt - before >= Math.min(suspendedMs, this.idleAfterMs / 2);
  }

  private newWatermark(): PartitionWatermarkGenerator {
    const { idleAfterMs, state } = this;
    const nowMs = this.options.now() / 1000;
    return new PartitionWatermarkGenerator({ idleAfterMs, nowMs, watermark: state.watermark });
  }

  private async processPart(
    records: readonly ConsumerRecord[],
    next: number,
  ): Promise<JobAndOperatorEventCounts> {
    const { current, state } = this.options;
    const run = current();
    if (run.pipeline.idleAfterMs !== this.idleAfterMs) {
      this.idleAfterMs = run.pipeline.idleAfterMs;
      this.watermark = this.newWatermark();
    }
    const writing = beginBatch(run, this.source, this.options);
    const { output } = writing;
    const inputs = run.pipeline.inputs.filter(({ streams }) => streams.includes(this.options.stream));
    const [first] = inputs;
    // The task skips no record, because the stream may be added again before the partition is revoked.
    if (!first) throw new FencedError('the stream was removed from the definition');
    await writing.compute(() => writing.take(first.chain, this.selected(records, inputs, output.counts)));
    const { letters, totals: counts } = output;
    state.done({
      next: Math.max(next, state.next),
      letters,
      counts,
      watermark: this.watermark.value,
      state: state.state,
      timestamp: records.at(-1)?.timestamp,
    });
    return counts;
  }

  /**
   * Yields the events that enter the pipeline, lazily, so that a decoded event is not kept in memory longer than
   * necessary. Yields undefined for every other record, so that the caller can give way between any two records. An event
   * that several inputs select is yielded for each.
   */
  private *selected(
    records: readonly ConsumerRecord[],
    inputs: readonly StreamInput[],
    counts: EventOutcomeCounts,
  ): Generator<SelectedEvent | undefined> {
    const isSelected = (type: string) =>
      inputs.some(({ eventTypes }) => eventTypes === undefined || eventTypes.has(type));
    for (const record of records) {
      const one = this.admit(record, isSelected);
      if (!one) {
        yield undefined;
        continue;
      }
      let isProcessed = false;
      for (const input of inputs) {
        const matches = input.matches(one.flow);
        if (matches && !isProcessed) counts.processed++;
        isProcessed ||= matches;
        yield matches ? { ...one, chain: input.chain } : undefined;
      }
    }
  }

  /**
   * Decodes a record. Returns the event if its type is selected, and undefined otherwise. The method is synchronous,
   * because all partitions share one decoder, which holds one record at a time.
   */
  private admit(
    record: ConsumerRecord,
    isSelected: (type: string) => boolean,
  ): Omit<SelectedEvent, 'chain'> | undefined {
    const { window, erasures, state, stream, now } = this.options;
    const { offset, timestamp } = record;
    const read = decodeLogRecord(record);
    if (!read) {
      window.pass(offset, timestamp);
      return undefined;
    }
    const repeated = window.repeatsWords(read.id, offset, timestamp);
    if (offset < state.next) return undefined;
    if (repeated) {
      this.duplicates++;
      return undefined;
    }
    const watermark = this.watermark.value;
    this.watermark.read(read.timestamp, read.ingestedAt, now() / 1000);
    if (!isSelected(read.eventType)) return undefined;
    if (read.entityId !== null && offset < erasures.endOf(read.entityId)) return undefined;
    return { flow: sourceEvent(read.event(stream)), offset, watermark, index: 0 };
  }
}
