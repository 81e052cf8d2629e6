import { setTimeout as sleep } from 'node:timers/promises';
import { withAnySignal } from '#async';
import { IdHistory, IdWindow, MemoryBudget } from '#dataflow';
import { aborted, PartitionErasureLookup, type OwnedPartition, type PartitionTask } from '#engine';
import type { StreamId } from '#event';
import type { RecordBatch, TopicPartition } from '#kafka';
import { maxRangeOffsets } from '#store';
import { expectedVersionOf } from '#verdicts';
import { splitBatch } from '../fetch/split-batch.js';
import { PartitionRowBuilder } from '../rows/partition-row-builder.js';
import { LogRange } from './log-range.js';
import { RangeComparison, type ComparedPartition } from './range-comparison.js';
import { noTotals, type ScrubTotals } from './scrub-passes.js';
import type { ScrubDependencies } from './scrub-dependencies.js';
import { scrubbedEvents } from './scrub-metrics.js';

/** A pass over one partition: from the beginning of the log to an offset that is fixed when the pass begins. */
export interface ScrubPass extends TopicPartition {
  stream: StreamId;
  /** Offset at which reading starts, to fill the id window. */
  start: number;
  /** Offset from which on records are compared. */
  from: number;
  /** Ids of the requests that the pass answers, whose progress is saved; the rate of such a pass is not limited. */
  requests?: readonly string[];
  /** What the pass has found so far, if it has begun. */
  totals?: ScrubTotals;
  /** The pass ends at this offset: the materializer had stored all records below it when the task was opened. */
  until: number;
  /** Whether the pass has begun; false while the partition waits for its next pass. */
  isDue: boolean;
}

/** Bytes of the rows of a range that one partition has in memory; only the partitions that have a slot have a range. */
const rangeBytes = 8 * 1024 * 1024;
/** Milliseconds before the pass of a partition is tried again after a failure. */
const failedMs = 60_000;

/** The cache of versions that the scrub does not need: it takes the versions from the stored rows. */
const noVersions = { storedUpTo: Infinity, get: () => undefined, add: () => undefined };

/** Compares one partition with the store, range by range, and repairs the store. */
export class ScrubTask implements PartitionTask, ComparedPartition {
  readonly start = this.pass.start;
  readonly from = this.pass.from;
  readonly window = new IdWindow(this.dependencies.window);
  private readonly ending = new AbortController();
  private slot: Promise<void> | undefined;
  readonly totals = { ...(this.pass.totals ?? noTotals) };
  readonly stream = this.pass.stream;
  readonly topic = this.pass.topic;
  readonly until = this.pass.until;
  readonly erasures: PartitionErasureLookup;
  doubtfulBelow = 0;
  private readonly builder: PartitionRowBuilder;
  private readonly comparison: RangeComparison;
  private range: LogRange;
  /** Conditional records of the current batch. */
  private conditional = new Set<number>();
  /** Log time of the first record, in milliseconds since 1970; undefined before it is read. */
  private firstTime: number | undefined;

  constructor(
    private readonly dependencies: ScrubDependencies,
    readonly partition: OwnedPartition,
    private readonly pass: ScrubPass,
  ) {
    const { topic, partition: number, stream } = pass;
    this.erasures = new PartitionErasureLookup(dependencies.erasures, { stream, partition: number });
    this.builder = new PartitionRowBuilder({
      ...{ stream, topic, partition: number, position: this.from },
      window: this.window,
      history: new IdHistory({ milliseconds: 0 }, new MemoryBudget(0)),
      versions: noVersions,
      erasures: this.erasures,
      verdicts: { decidedUntil: () => Infinity, isRefused: (_, offset) => this.isRejected(offset) },
    });
    this.range = new LogRange(this.from);
    this.comparison = new RangeComparison(dependencies, this);
  }

  /** Number of the partition. */
  get number(): number {
    return this.pass.partition;
  }

  /** Resolves when a slot is free, if a pass is due. A partition takes its slot with its first batch: it may have no records. */
  get ready(): Promise<void> | undefined {
    if (this.pass.isDue) this.slot ??= this.dependencies.slots.take(this.ending.signal);
    return this.slot;
  }

  /** Never rejects: a failed pass is tried again later. */
  async take(batch: RecordBatch): Promise<void> {
    const { ended, closing } = this.partition;
    await withAnySignal([ended, closing], async (signal) => {
      try {
        if (this.pass.isDue) return await this.scrub(batch, signal);
        // The batch is too old when the next pass is due: the log may have lost its beginning, with its verdicts.
        await this.dependencies.passes.untilDue(this.pass, signal);
      } catch (error) {
        if (signal.aborted) return;
        const { topic, partition } = this.pass;
        this.dependencies.failed(error, { topic, partition });
        await sleep(failedMs, undefined, { signal }).catch(() => undefined);
      }
      await this.openAgain(signal);
    });
  }

  close(): void {
    this.ending.abort();
  }

  private async scrub(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    const most = Math.min(this.dependencies.window.records, maxRangeOffsets);
    for (const records of splitBatch(batch, most)) {
      if (records.next - this.range.from > maxRangeOffsets) await this.compare(signal);
      this.read(records);
      if (this.range.next >= this.pass.until) return await this.complete(signal);
      if (this.range.bytes >= rangeBytes) await this.compare(signal);
    }
  }

  /** Adds to the range what the log says about a batch, with the rules of the materializer. */
  private read({ records, undecodable, next }: RecordBatch): void {
    const { until } = this.pass;
    const own = records.filter(({ offset }) => offset < until);
    this.conditional = new Set(own.filter(isConditional).map(({ offset }) => offset));
    this.noteDoubt(own);
    const steps = this.builder.admit(own);
    let step = steps.next();
    // The verdicts decide every record, so that no event id is looked up.
    while (!step.done) step = steps.next(new Map());
    this.builder.pass(Math.min(next, until));
    if (next > this.from)
      this.range.add({ records: own, undecodable }, step.value.rows, Math.min(next, until));
  }

  /**
   * Notes which records may repeat a record that the log no longer has. The id window is complete when it has passed as
   * many records as it holds, or as much time.
   */
  private noteDoubt(records: RecordBatch['records']): void {
    const { beginning } = this.partition.assignment;
    if (beginning === 0 || this.start > beginning) return;
    const { records: limit, milliseconds } = this.dependencies.window;
    this.firstTime ??= this.window.time;
    const since = this.firstTime;
    const isDoubtful = ({ offset, timestamp }: { offset: number; timestamp: number }) =>
      offset - beginning < limit && timestamp - since <= milliseconds;
    const last = records.findLast(isDoubtful);
    if (last) this.doubtfulBelow = last.offset + 1;
  }

  /**
   * Returns whether the record at this offset is no event by a verdict. All verdicts on the records of the pass are in
   * the table. A conditional record without one was never decided, and no process has stored it.
   */
  private isRejected(offset: number): boolean {
    const { verdicts } = this.dependencies;
    if (offset < verdicts.decidedUntil(this.pass)) return verdicts.isRefused(this.pass, offset);
    return this.conditional.has(offset);
  }

  private async compare(signal: AbortSignal, isLast = false): Promise<void> {
    const { range } = this;
    this.range = new LogRange(range.next);
    if (range.next <= range.from) return;
    // A pass with saved progress continues at the committed offset, which must be its own.
    if (!isLast) await this.partition.commits.offer(this.from);
    if (!this.pass.requests?.length) await this.dependencies.rate.take(range.records, signal);
    await this.comparison.compare(range, { isLast, signal });
    scrubbedEvents.inc(range.records);
    this.totals.compared += range.records;
    if (!isLast) await this.saveProgress(signal, false);
    await this.partition.commits.offer(this.comparison.doneBelow(range.next));
  }

  /** Ends the pass. The committed offset goes back to the beginning of the log, where the next pass begins. */
  private async complete(signal: AbortSignal): Promise<void> {
    await this.compare(signal, true);
    await this.partition.settled();
    const { beginning } = this.partition.assignment;
    this.partition.commitFrom(beginning - 1);
    await this.partition.commits.offer(beginning);
    await this.saveProgress(signal, true);
    this.dependencies.passes.completed(this.pass);
    await this.openAgain(signal);
  }

  private async saveProgress(signal: AbortSignal, is_complete: boolean): Promise<void> {
    const { stream, partition, requests = [] } = this.pass;
    if (requests.length === 0) return;
    const { retry, progress } = this.dependencies;
    const updated_at = Date.now() * 1000;
    const row = { stream, partition, ...this.totals, is_complete, updated_at };
    const rows = requests.map((request) => ({ request, ...row }));
    await retry.run('store', signal, () => progress.save(rows));
  }

  private async openAgain(signal: AbortSignal): Promise<void> {
    this.dependencies.reassign(this.pass);
    await aborted(signal);
  }
}

function isConditional(record: RecordBatch['records'][number]): boolean {
  return expectedVersionOf(record) !== undefined;
}
