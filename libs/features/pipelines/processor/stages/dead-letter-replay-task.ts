import { setTimeout as sleep } from 'node:timers/promises';
import { UnreadableRecordError } from '#event';
import type { ConsumerRecord, RecordBatch } from '#kafka';
import {
  noWatermark,
  readReplay,
  eventFromRecord,
  type OperatorChain,
  type PipelineEvent,
  type ReplayedDeadLetter,
} from '#features/pipelines/computation';
import { type IdWindow } from '#dataflow';
import { zeroCounts, sumCounts, type JobAndOperatorEventCounts } from '../output/counts.js';
import { replayPartitionName, type JobConfiguration } from './job-configuration.js';
import { unreadableDeadLetter } from '../output/dead-letters.js';
import { requireReadable } from './job-not-resumable.js';
import type { EventErasures } from './event-erasures.js';
import { beginBatch, type BatchComputation } from './batch-computation.js';
import type { StageTask, StageBatchResult, StageTaskDependencies } from './stage-task.js';

/** Maximum number of replay records whose outputs are written together. */
const partRecords = 100;

/**
 * Milliseconds between two checks of the definition, and the maximum number of checks. After a minute of checks, the
 * task uses the definition that this process knows.
 */
const [checkAgainMs, mostChecks] = [20, 3000];

interface DeadLetterReplayTaskOptions extends StageTaskDependencies {
  window: IdWindow;
  erasures: EventErasures;
}

/**
 * Reads the replay topic of a job. A replayed dead letter continues at the operator at which its event failed. Earlier
 * operators, and other outputs of the same event, are not repeated. A replayed event is emitted with the id that it
 * would have had without the failure. A replay does not change the watermark, so a replayed event is late for a window
 * that has closed.
 */
export class DeadLetterReplayTask implements StageTask {
  readonly state = this.options.state;
  private duplicates = 0;

  constructor(private readonly options: DeadLetterReplayTaskOptions) {}

  async take(batch: RecordBatch): Promise<StageBatchResult> {
    const { state } = this;
    this.duplicates = 0;
    let counts = zeroCounts;
    requireReadable(batch, state.next);
    const fresh = batch.records.filter((record) => this.isFresh(record));
    for (let at = 0; at < fresh.length; at += partRecords) {
      const some = fresh.slice(at, at + partRecords);
      counts = sumCounts(counts, await this.processPart(some));
    }
    state.advance(batch.next);
    return { counts, duplicates: this.duplicates, changed: true };
  }

  async tell(): Promise<void> {
    // Replays do not advance the watermark of any stage.
  }

  close(): void {
    // The task has no shared resources to release.
  }

  /**
   * Returns whether the record must be processed. The result is false for a record below the saved offset, and for a
   * repeated replay, which a gateway sends after an interrupted request.
   */
  private isFresh(record: ConsumerRecord): boolean {
    const { window, state } = this.options;
    const { offset, timestamp } = record;
    const replay = replayOf(record);
    const repeated = replay ? window.repeats(replay.id, offset, timestamp) : false;
    if (!replay) window.pass(offset, timestamp);
    if (offset < state.next) return false;
    if (repeated) this.duplicates++;
    return !repeated;
  }

  private async processPart(records: readonly ConsumerRecord[]): Promise<JobAndOperatorEventCounts> {
    const { state } = this;
    const run = await this.runFor(records);
    const writing = beginBatch(run, replayPartitionName, this.options);
    const { output } = writing;
    await writing.compute(async () => {
      for (const record of records) {
        if (writing.isOver(record.value?.length ?? 0)) await writing.giveWay();
        await this.goOn(record, run, writing);
      }
    });
    const { letters, totals: counts } = output;
    const { offset, timestamp } = records.at(-1)!;
    const next = offset + 1;
    state.done({ next, letters, counts, watermark: noWatermark, state: state.state, timestamp });
    return counts;
  }

  /**
   * Resolves with the job's configuration when its definition is at least the version that the replay records name. The
   * gateway may have read a change of the definition earlier than this process.
   */
  private async runFor(records: readonly ConsumerRecord[]): Promise<JobConfiguration> {
    const { current, state } = this.options;
    const version = Math.max(...records.map((record) => replayOf(record)?.version ?? 0));
    for (let looks = 0; looks < mostChecks && current().label.version < version; looks++)
      await sleep(checkAgainMs, undefined, { signal: state.ended });
    return current();
  }

  private async goOn(
    record: ConsumerRecord,
    run: JobConfiguration,
    writing: BatchComputation,
  ): Promise<void> {
    const { output } = writing;
    const replay = replayOf(record);
    const flow = replay && flowOf(replay);
    if (!replay || !flow) {
      output.counts.failed++;
      output.addLetter(unreadableDeadLetter(run.label, record, { at: '', now: this.options.now() }));
      return;
    }
    if (this.options.erasures.include(flow)) return;
    const { at } = replay;
    const chain: OperatorChain | undefined = run.pipeline.entry(at);
    if (!chain) {
      const error = `${at}: the definition no longer has this operator`;
      output.fail(flow, { at, reason: 'operator_failed', error });
      return;
    }
    const cause = { offset: record.offset, watermark: noWatermark, index: 0 };
    await writing.take(chain, [{ ...cause, flow }]);
  }
}

function replayOf({ value, offset }: ConsumerRecord): ReplayedDeadLetter | undefined {
  return readReplay(value, offset + 1);
}

function flowOf({ event, origin }: ReplayedDeadLetter): PipelineEvent | undefined {
  try {
    return eventFromRecord(event, origin);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}
