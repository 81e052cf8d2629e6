import { SharedCall } from '#async';
import type { TopicAndGroupNames } from '#event';
import type { ProducerRecord, Producer, TopicPartition } from '#kafka';
import { encodeMark, markTombstone, type DecidedMark } from './decided-mark.js';
import { joinedAt, noOffsets, withIndexes } from './offset-bitmap.js';
import {
  encodeVerdicts,
  isRefusal,
  rangeOf,
  rangeOffsets,
  verdictTombstone,
  type NumberedOffsetRange,
  type Verdict,
} from './offset-range-verdicts.js';
import type { VerdictTable } from './verdict-table.js';

/** Milliseconds within which this process must read a verdict record back after writing it to the log. */
const readBackMs = 10_000;

/**
 * Error: another process has decided a record differently before this process did. The verdict of the other process is
 * valid. The two verdicts can differ if an erasure becomes known while a partition moves to another process.
 */
export class VerdictConflictError extends Error {
  override readonly name = 'VerdictConflictError';
}

interface VerdictPublisherOptions {
  table: VerdictTable;
  names: Pick<TopicAndGroupNames, 'verdicts'>;
  producer(): Promise<Pick<Producer, 'append'>>;
}

/** Writes verdicts to the topic `verdicts` for the owner of a partition. Only those in the topic are valid. */
export class VerdictPublisher {
  private readonly producer = new SharedCall(() => this.options.producer());

  constructor(private readonly options: VerdictPublisherOptions) {}

  /**
   * Publishes the verdicts on the next records of a partition, in offset order. Resolves when this process
   * has read the verdicts back from the topic, which proves that no other process has published a different verdict
   * earlier.
   * @param next The offset below which all conditional records are decided.
   * @throws VerdictConflictError if another process has decided a record differently
   * @throws LogUnavailableError; the caller then repeats the call
   */
  async publish(topicPartition: TopicPartition, next: number, verdicts: readonly Verdict[]): Promise<void> {
    const { table, names } = this.options;
    await table.ready();
    const ranges = [...byRange(verdicts)];
    // A verdict on a record that another process has decided meanwhile must count as late, so `from` is not above it.
    const from = Math.min(table.decidedUntil(topicPartition), verdicts[0]?.offset ?? Infinity);
    const records = ranges.map(([range, own], index) => {
      const decided = index === ranges.length - 1 ? next : (range + 1) * rangeOffsets;
      const refused = withIndexes(table.refusedIn(topicPartition, range), rejectedAmong(own));
      return encodeVerdicts({ ...topicPartition, range, from, decided, refused, verdicts: own }, names);
    });
    await this.append(records);
    const other = verdicts.find(
      (verdict) => table.isRefused(topicPartition, verdict.offset) !== isRefusal(verdict),
    );
    if (!other) return;
    throw new VerdictConflictError(
      `${topicPartition.topic}/${topicPartition.partition}: another process has decided the record at offset ${other.offset} differently`,
    );
  }

  /**
   * Publishes the offsets below which all records of some partitions are decided. Resolves when this process has read
   * them back from the topic: no other process can refuse a record below these offsets any more.
   * @throws LogUnavailableError; the caller then repeats the call
   */
  async mark(marks: readonly DecidedMark[]): Promise<void> {
    if (marks.length === 0) return;
    const { table, names } = this.options;
    await table.ready();
    await this.append(marks.map((mark) => encodeMark(mark, names)));
  }

  /**
   * Discards the verdicts of a partition on offsets from `from` on, because Kafka has lost the records that they decided.
   * Resolves when this process has read that back from the topic. Does nothing without such verdicts.
   * @throws LogUnavailableError; the caller then repeats the call
   */
  async reset({ topic, partition }: TopicPartition, from: number): Promise<void> {
    const { table, names } = this.options;
    if (table.decidedUntil({ topic, partition }) <= from) return;
    const records = [encodeMark({ topic, partition, decided: from, reset: true }, names)];
    // A later mark replaces this one. The verdicts must not come back when compaction has removed it.
    for (const range of table.ranges()) {
      if (range.topic !== topic || range.partition !== partition || range.range < rangeOf(from)) continue;
      if (range.range > rangeOf(from)) records.push(verdictTombstone(range, names));
      else {
        const kept = joinedAt(from % rangeOffsets, table.refusedIn(range, range.range), noOffsets);
        records.push(encodeVerdicts({ ...range, decided: from, from, refused: kept, verdicts: [] }, names));
      }
    }
    await this.append(records);
  }

  /** Publishes the verdicts of an offset range again: a stale record has replaced the newest one in the topic. */
  async repeat({ topic, partition }: TopicPartition, range: number): Promise<void> {
    const { table, names } = this.options;
    const decided = table.decidedUntil({ topic, partition });
    const refused = table.refusedIn({ topic, partition }, range);
    const known = { topic, partition, range, decided, from: decided, refused, verdicts: [] };
    await this.append([encodeVerdicts(known, names)]);
  }

  /** Appends records to the topic of verdicts, and reads them back. */
  private async append(records: readonly ProducerRecord[]): Promise<void> {
    const positions = await (await this.producer.result()).append(records);
    const last = positions.reduce((most, { offset }) => Math.max(most, offset), 0);
    await this.options.table.caughtUp(last, readBackMs);
  }

  /** Removes the verdicts of these offset ranges, whose records Kafka no longer has. */
  remove(ranges: readonly NumberedOffsetRange[]): Promise<void> {
    return this.write(ranges.map((range) => verdictTombstone(range, this.options.names)));
  }

  /** Removes the marks of these partitions, because their topics do not exist any more. */
  removeMarks(partitions: readonly TopicPartition[]): Promise<void> {
    return this.write(partitions.map((one) => markTombstone(one, this.options.names)));
  }

  private async write(records: readonly ProducerRecord[]): Promise<void> {
    if (records.length > 0) await (await this.producer.result()).append(records);
  }
}

function rejectedAmong(verdicts: readonly Verdict[]): number[] {
  return verdicts.filter(isRefusal).map(({ offset }) => offset % rangeOffsets);
}

function byRange(verdicts: readonly Verdict[]): Map<number, Verdict[]> {
  const ranges = new Map<number, Verdict[]>();
  for (const verdict of verdicts) {
    const range = rangeOf(verdict.offset);
    const known = ranges.get(range);
    if (known) known.push(verdict);
    else ranges.set(range, [verdict]);
  }
  return ranges;
}
