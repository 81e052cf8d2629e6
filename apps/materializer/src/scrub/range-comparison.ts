import { randomUUID } from 'node:crypto';
import type { PartitionErasureLookup } from '#engine';
import type { TopicPartition } from '#kafka';
import {
  EventRowBatch,
  maxRangeOffsets,
  maxUnequalOffsets,
  RowsRejectedError,
  type OffsetRange,
  type ScrubbedEvent,
  type ScrubbedOffsets,
} from '#store';
import type { LogRange } from './log-range.js';
import { repairVersions } from './repair-versions.js';
import type { ScrubTotals } from './scrub-passes.js';
import type { ScrubDependencies } from './scrub-dependencies.js';
import { repairedRows, undecidedEvents, unloggedEvents } from './scrub-metrics.js';

/** What the comparison needs of the partition. */
export interface ComparedPartition {
  readonly stream: string;
  readonly topic: string;
  readonly number: number;
  readonly erasures: PartitionErasureLookup;
  /** What the pass has found so far. */
  readonly totals: ScrubTotals;
  /** Records below this offset may repeat a record that the log no longer has. */
  readonly doubtfulBelow: number;
  /** Offset at which the pass ends. */
  readonly until: number;
}

interface CompareOptions {
  /** Whether the pass ends with the range. */
  isLast: boolean;
  signal: AbortSignal;
}

/** Maximum bytes of the rows that wait for a later range, because their versions are not certain yet. */
const mostWaitingBytes = 16 * 1024 * 1024;
/** Maximum number of offsets in a line of the log. */
const sample = 10;

/** Compares offset ranges of one partition, in their order, and inserts again what the store lacks. */
export class RangeComparison {
  /** Missing rows of earlier ranges whose versions are not certain yet. */
  private waiting: EventRowBatch[] = [];
  /** The offset up to which the two tables of events were searched for differences, and where they differ. */
  private searched: { until: number; unequal: readonly ScrubbedOffsets[] } = { until: 0, unequal: [] };

  constructor(
    private readonly dependencies: ScrubDependencies,
    private readonly partition: ComparedPartition,
  ) {}

  /** Returns the offset below which all rows are repaired, when the ranges up to `next` were compared. */
  doneBelow(next: number): number {
    const first = this.waiting[0];
    return first && first.count > 0 ? first.offsetOf(0) : next;
  }

  /** @throws the signal's reason */
  async compare(range: LogRange, options: CompareOptions): Promise<void> {
    const { signal } = options;
    const stored = await this.inSlices(range, signal, (slice) => this.eventsIn(slice));
    const isComplete = new Map<string, boolean>();
    for (const one of stored) isComplete.set(keyOf(one), one.complete);
    const own = range.rowsAfter([]);
    const expected = new Set<string>();
    const lacking: number[] = [];
    for (let row = 0; own && row < own.count; row++) {
      const key = keyOf({ offset: own.offsetOf(row), event_id: own.eventIdOf(row) });
      expected.add(key);
      if (!isComplete.get(key)) lacking.push(row);
    }
    const unlogged = stored.filter(
      (one) => !expected.has(keyOf(one)) && !range.mayHave(one.offset, one.event_id),
    );
    if (lacking.length + unlogged.length + this.waiting.length === 0) return;
    // The log may have lost its beginning since the range was read, and with it the verdicts on these records.
    const beginning = await this.beginning(signal);
    await this.report(unlogged.filter(({ offset }) => offset >= beginning));
    await this.repair(range, new Set(lacking.filter((row) => own!.offsetOf(row) >= beginning)), options);
  }

  /** Reads the events of a range. A long range is searched for differences of the tables at once, which is cheaper. */
  private async eventsIn(slice: OffsetRange): Promise<ScrubbedEvent[]> {
    const { reader } = this.dependencies;
    if (slice.until > this.searched.until) {
      const until = Math.max(slice.until, Math.min(slice.from + maxUnequalOffsets, this.partition.until));
      this.searched = { until, unequal: await reader.unequalRanges({ ...slice, until }) };
    }
    const isUnequal = this.searched.unequal.some(
      ({ from, until }) => from < slice.until && until > slice.from,
    );
    return await reader.eventsIn(slice, !isUnequal);
  }

  private async report(unlogged: readonly ScrubbedEvent[]): Promise<void> {
    if (unlogged.length === 0) return;
    const { logger, onUnlogged } = this.dependencies;
    const events = unlogged.map(({ offset, event_id }) => ({ offset, event_id }));
    unloggedEvents.inc(events.length);
    this.partition.totals.unlogged += events.length;
    logger.error(
      { ...this.origin, events: events.length, sample: events.slice(0, sample) },
      'stored events are not in the log at their offsets: see docs/runbooks/TributaryScrubUnlogged.md',
    );
    await onUnlogged(this.origin, events);
  }

  /** Inserts rows of a range that the store lacks without a reason. `lacking` are indexes of the rows of the range. */
  private async repair(
    range: LogRange,
    lacking: ReadonlySet<number>,
    { isLast, signal }: CompareOptions,
  ): Promise<void> {
    const rows = range.rowsAfter(this.waiting);
    if (!rows || lacking.size + this.waiting.length === 0) return;
    const before = this.waiting.reduce((sum, { count }) => sum + count, 0);
    const { removed, rejected, stored } = await this.remembered(range, signal);
    const isLost = (row: number) => !removed.has(rows.offsetOf(row)) && !rejected.has(rows.offsetOf(row));
    const own = [...lacking].map((row) => before + row).filter(isLost);
    const doubtful = await this.repeats(rows, own, { stored, signal });
    const missing = new Set(own.filter((row) => !doubtful.has(row)));
    for (let row = 0; row < before; row++) missing.add(row);
    if (missing.size === 0) return;
    const full = this.waiting.reduce((sum, { memory }) => sum + memory, 0) > mostWaitingBytes;
    const undecided = await this.number(rows, missing, { range, rejected, isLast: isLast || full, signal });
    this.waiting = undecided.size > 0 ? [only(rows, undecided)] : [];
    const certain = new Set([...missing].filter((row) => !undecided.has(row)));
    if (certain.size > 0) await this.insert(only(rows, certain), signal);
  }

  /** Sets the versions of the missing rows. Returns the rows whose versions are not certain yet. */
  private async number(
    rows: EventRowBatch,
    missing: ReadonlySet<number>,
    options: { range: LogRange; rejected: ReadonlySet<number>; isLast: boolean; signal: AbortSignal },
  ): Promise<ReadonlySet<number>> {
    const { reader, retry } = this.dependencies;
    const { stream, number: partition, erasures } = this.partition;
    const { range, rejected, isLast, signal } = options;
    const entityIds = new Set<string>();
    for (const row of missing) {
      const entity = rows.entityOf(row);
      if (entity !== null) entityIds.add(entity);
    }
    if (entityIds.size === 0) return new Set();
    const query = { stream, partition, from: range.from, until: range.next, entityIds: [...entityIds] };
    const known = await retry.run('store', signal, () => reader.knownVersions(query));
    const first = await retry.run('store', signal, () => reader.firstRemovedOffset(stream, partition));
    const isWhole = (first ?? Infinity) >= range.from && (await this.beginning(signal)) === 0;
    const erasedBelow = (entity: string) => erasures.endOf(entity);
    return repairVersions({ rows, missing, rejected, known, erasedBelow, isWhole, isLast });
  }

  /**
   * Returns those of the missing rows that may repeat an event that the log no longer has: the id is stored at an earlier
   * offset, or the event with the id may have been removed. A row that was stored once is no such repeat.
   */
  private async repeats(
    rows: EventRowBatch,
    missing: readonly number[],
    { stored, signal }: { stored: ReadonlySet<number>; signal: AbortSignal },
  ): Promise<ReadonlySet<number>> {
    const { doubtfulBelow, stream, number: partition } = this.partition;
    const doubtful = missing.filter(
      (row) => rows.offsetOf(row) < doubtfulBelow && !stored.has(rows.offsetOf(row)),
    );
    if (doubtful.length === 0) return new Set();
    const { writer, reader, retry } = this.dependencies;
    const beginning = await this.beginning(signal);
    const first = await retry.run('store', signal, () => reader.firstRemovedOffset(stream, partition));
    const query = { stream, partition, from: 0, until: doubtfulBelow };
    const eventIds = doubtful.map((row) => rows.eventIdOf(row));
    const offsets = await retry.run('store', signal, () => writer.offsetsOf({ ...query, eventIds }));
    const repeats = doubtful.filter((row) => {
      const isStored = offsets.get(rows.eventIdOf(row))?.some((offset) => offset < rows.offsetOf(row));
      const isUndecided = !isStored && (first ?? Infinity) < beginning;
      if (isUndecided) {
        undecidedEvents.inc();
        this.partition.totals.undecided++;
      }
      return isStored || isUndecided;
    });
    return new Set(repeats);
  }

  private async remembered(
    range: LogRange,
    signal: AbortSignal,
  ): Promise<Record<'removed' | 'rejected' | 'stored', ReadonlySet<number>>> {
    const { reader } = this.dependencies;
    const all = await this.inSlices(range, signal, async (slice) => [await reader.rememberedOffsets(slice)]);
    return {
      removed: new Set(all.flatMap(({ removed }) => removed)),
      rejected: new Set(all.flatMap(({ deadLetters }) => deadLetters)),
      stored: new Set(all.flatMap(({ stored }) => stored)),
    };
  }

  /** Inserts rows that the store has lost, one insert of the process at a time. */
  private async insert(rows: EventRowBatch, signal: AbortSignal): Promise<void> {
    const { inserts, logger } = this.dependencies;
    const streams = new Set([this.partition.stream]);
    const inserted = await this.dependencies.serially(async () => {
      inserts.begin(streams);
      try {
        return await this.insertAll(rows, signal);
      } finally {
        inserts.end(streams);
      }
    });
    if (inserted === 0) return;
    repairedRows.inc(inserted);
    this.partition.totals.repaired += inserted;
    const offsets = { from: rows.offsetOf(0), until: rows.offsetOf(rows.count - 1) + 1 };
    logger.warn(
      { ...this.origin, ...offsets, events: inserted },
      'the store had lost events, which were inserted again: see docs/runbooks/TributaryScrubRepaired.md',
    );
  }

  /**
   * Resolves with the number of inserted rows. A row that the store rejects is left out. The token of the insert is new,
   * because ClickHouse remembers the token with which the lost rows were inserted.
   */
  private async insertAll(rows: EventRowBatch, signal: AbortSignal): Promise<number> {
    const { writer, retry } = this.dependencies;
    const token = `scrub ${randomUUID()}`;
    try {
      return await retry.run('store', signal, async () => {
        const left = this.withoutErased(rows);
        if (left.count > 0) await writer.appendRowBatches([left], token);
        return left.count;
      });
    } catch (error) {
      if (!(error instanceof RowsRejectedError)) throw error;
      if (rows.count === 1) {
        this.dependencies.failed(error, this.origin);
        return 0;
      }
      const half = rows.count >> 1;
      const first = await this.insertAll(rows.slice(0, half), signal);
      return first + (await this.insertAll(rows.slice(half, rows.count), signal));
    }
  }

  /** An erasure can have come since the rows were built. */
  private withoutErased(rows: EventRowBatch): EventRowBatch {
    const { erasures } = this.partition;
    const erased = new Set<number>();
    for (let row = 0; erasures.any && row < rows.count; row++) {
      const entity = rows.entityOf(row);
      if (entity !== null && rows.offsetOf(row) < erasures.endOf(entity)) erased.add(row);
    }
    return rows.without(erased);
  }

  /** Returns the first offset that the log has. */
  private async beginning(signal: AbortSignal): Promise<number> {
    const { admin, retry } = this.dependencies;
    const all = await retry.run('log', signal, () => admin.offsets(this.partition.topic));
    return all.find(({ partition }) => partition === this.partition.number)?.beginning ?? Infinity;
  }

  /** Runs a query for a range in slices of at most `maxRangeOffsets` offsets. */
  private async inSlices<T>(
    { from, next }: LogRange,
    signal: AbortSignal,
    query: (slice: OffsetRange) => Promise<T[]>,
  ): Promise<T[]> {
    const { stream, number: partition } = this.partition;
    const found: T[][] = [];
    for (let at = from; at < next; at += maxRangeOffsets) {
      const slice = { stream, partition, from: at, until: Math.min(at + maxRangeOffsets, next) };
      found.push(await this.dependencies.retry.run('store', signal, () => query(slice)));
    }
    return found.flat();
  }

  private get origin(): TopicPartition & { stream: string } {
    const { stream, topic, number: partition } = this.partition;
    return { stream, topic, partition };
  }
}

/** Returns the rows with these indexes. */
function only(rows: EventRowBatch, kept: ReadonlySet<number>): EventRowBatch {
  const others = new Set<number>();
  for (let row = 0; row < rows.count; row++) if (!kept.has(row)) others.add(row);
  return rows.without(others);
}

function keyOf({ offset, event_id }: { offset: number; event_id: string }): string {
  return `${offset} ${event_id}`;
}
