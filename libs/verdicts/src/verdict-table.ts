import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicAndGroupNames } from '#event';
import { LogUnavailableError, partitionKey, type GlobalTableReader, type Log, type LogRecord } from '#log';
import { hasIndex, isSameBitmap, joinedAt, noOffsets, type OffsetBitmap } from './offset-bitmap.js';
import {
  decodeVerdicts,
  rangeOf,
  rangeOffsets,
  rangeOfTombstone,
  type TopicPartition,
  type VerdictRecord,
} from './verdict-record.js';

export interface VerdictTableOptions {
  log: Pick<Log, 'tableReader' | 'admin'>;
  names: Pick<TopicAndGroupNames, 'verdicts'>;
}

/** A range of offsets of a partition. */
export interface VerdictOffsetRange extends TopicPartition {
  range: number;
}

/** Receives verdict records as they are read. */
export interface VerdictListener {
  /** Called with each record that adds to the table. */
  added?: (record: VerdictRecord) => void;
  /** Called when the newest record of a range has become stale; see `VerdictTable.staleRanges`. */
  stale?: (range: VerdictOffsetRange) => void;
}

interface PartitionVerdicts {
  readonly topicPartition: TopicPartition;
  decided: number;
  /** The range whose newest record has `decided`. */
  newest: number;
  /** The refused records of each range that has verdicts. */
  readonly refused: Map<number, OffsetBitmap>;
  /** Ranges whose newest record is stale. */
  readonly stale: Set<number>;
}

/**
 * Settings of the topic. Compaction keeps the newest record of each range of offsets; `min.compaction.lag.ms` keeps all
 * records for the writers that wait for their verdicts.
 */
const settings = {
  partitions: 1,
  config: {
    'cleanup.policy': 'compact',
    'min.compaction.lag.ms': '60000',
    // Small segments are compacted soon, so that a process that starts reads little.
    'segment.bytes': String(16 * 1024 * 1024),
    'segment.ms': '600000',
    'min.cleanable.dirty.ratio': '0.1',
  },
};

/** Milliseconds after which a wait looks again whether the reader still works. */
const checkMs = 1000;

/**
 * The verdicts on all conditional records, in memory: for each partition the offset below which all are decided, and one
 * bit for each refused record. The first verdict on a record is valid, and all processes read the same order of verdicts,
 * so all of them agree.
 *
 * The topic is created and read when it is first needed: a system without conditional writes has neither.
 */
export class VerdictTable {
  private partitions = new Map<string, PartitionVerdicts>();
  private readonly listeners = new Set<VerdictListener>();
  private reader: GlobalTableReader | undefined;
  private started: Promise<void> | undefined;
  private closed = false;
  private changed: () => void = () => undefined;
  private nextChange: Promise<void> = Promise.resolve();

  constructor(private readonly options: VerdictTableOptions) {
    this.awaitChange();
  }

  /**
   * Resolves when the table has all verdicts that the topic had at the first call.
   * @throws LogUnavailableError when the log cannot be reached; a later call tries again
   */
  async ready(): Promise<void> {
    if (this.reader?.failure) await this.restart();
    this.started ??= this.start();
    try {
      await this.started;
    } catch (error) {
      await this.restart();
      throw error;
    }
  }

  /**
   * Resolves when the table has all verdicts that the topic has now. A new owner of a partition calls this before it
   * decides: its table may not have the last verdicts of the owner before yet.
   * @throws LogUnavailableError when it takes too long
   */
  async upToDate(timeoutMs: number): Promise<void> {
    await this.ready();
    const { log, names } = this.options;
    const [offsets] = await log.admin.offsets(names.verdicts);
    if (offsets && offsets.end > offsets.beginning) await this.caughtUp(offsets.end - 1, timeoutMs);
  }

  /** Resolves when the record of the topic at this offset is in the table. @throws LogUnavailableError when it takes too long */
  async caughtUp(offset: number, timeoutMs: number): Promise<void> {
    await this.ready();
    await this.reader!.caughtUp(offset, timeoutMs);
  }

  /** Returns the offset below which every conditional record of the partition has a verdict. */
  decidedUntil(topicPartition: TopicPartition): number {
    return this.partitions.get(partitionKey(topicPartition))?.decided ?? 0;
  }

  /** Returns whether a decided record is refused. */
  isRefused(topicPartition: TopicPartition, offset: number): boolean {
    return hasIndex(this.refusedIn(topicPartition, rangeOf(offset)), offset % rangeOffsets);
  }

  /** Returns the refused records of a range. */
  refusedIn(topicPartition: TopicPartition, range: number): OffsetBitmap {
    return this.partitions.get(partitionKey(topicPartition))?.refused.get(range) ?? noOffsets;
  }

  /** Yields the ranges of all partitions that have verdicts. */
  *ranges(): Generator<VerdictOffsetRange> {
    for (const { topicPartition, refused } of this.partitions.values())
      for (const range of refused.keys()) yield { ...topicPartition, range };
  }

  /**
   * Returns the ranges of a partition whose newest record knows less than the table: a process wrote it after another one
   * had taken over the partition. Compaction would keep it alone, so the owner must write the range again.
   */
  staleRanges(topicPartition: TopicPartition): number[] {
    return [...(this.partitions.get(partitionKey(topicPartition))?.stale ?? [])];
  }

  /**
   * Resolves when the conditional record at this offset has a verdict. Waits as long as it takes.
   * @param waiting Called about once a second during the wait.
   * @throws the signal's reason
   */
  async decided(
    position: TopicPartition & { offset: number },
    signal: AbortSignal,
    waiting: () => void = () => undefined,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const changed = this.nextChange;
      try {
        await this.ready();
        if (this.decidedUntil(position) > position.offset) return;
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
      }
      waiting();
      await within(checkMs, changed, signal);
    }
  }

  /** Calls the listener with every record from now on. Returns a function that ends this. */
  listen(listener: VerdictListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.reader?.close();
  }

  /** Reads the topic into an empty table, which replaces the table when it is complete. */
  private async start(): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the verdicts are closed');
    const { log, names } = this.options;
    await log.admin.create(names.verdicts, settings);
    const partitions = new Map<string, PartitionVerdicts>();
    this.reader = log.tableReader(names.verdicts, { record: (record) => this.take(record, partitions) });
    await this.reader.start();
    this.partitions = partitions;
    for (const { topicPartition, stale } of partitions.values())
      for (const range of stale) this.notify('stale', { ...topicPartition, range });
  }

  private async restart(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    this.started = undefined;
    await reader?.close();
  }

  private take(record: LogRecord, partitions: Map<string, PartitionVerdicts>): void {
    const found = decodeVerdicts(record);
    if (found === null) return remove(record, partitions);
    if (!found) return;
    const known = partitions.get(partitionKey(found)) ?? noVerdicts(found);
    partitions.set(partitionKey(found), known);
    const isNew = found.decided > known.decided;
    const before = known.refused.get(found.range);
    const refused = before === undefined ? found.refused : firstVerdicts(known.decided, before, found);
    if (isNew || before === undefined) known.refused.set(found.range, refused);
    if (isNew) Object.assign(known, { decided: found.decided, newest: found.range });
    // A record without the newest verdicts of its range would replace them in the compacted topic.
    const kept = known.refused.get(found.range)!;
    const hasDecided = found.range !== known.newest || found.decided === known.decided;
    const isComplete = hasDecided && isSameBitmap(kept, found.refused);
    if (isComplete) known.stale.delete(found.range);
    else known.stale.add(found.range);
    if (!isComplete && partitions === this.partitions) this.notify('stale', found);
    if (!isNew) return;
    this.notify('added', found);
    this.changed();
    this.awaitChange();
  }

  private notify(event: keyof VerdictListener, record: VerdictOffsetRange): void {
    for (const listener of this.listeners) listener[event]?.(record as VerdictRecord);
  }

  private awaitChange(): void {
    this.nextChange = new Promise((resolve) => (this.changed = resolve));
  }
}

function noVerdicts({ topic, partition }: TopicPartition): PartitionVerdicts {
  return {
    topicPartition: { topic, partition },
    decided: 0,
    newest: -1,
    refused: new Map(),
    stale: new Set(),
  };
}

/** Returns the refused records of a range: below `decided` as they are known, because the first verdict is valid. */
function firstVerdicts(
  decided: number,
  known: OffsetBitmap,
  { range, refused }: VerdictRecord,
): OffsetBitmap {
  return joinedAt(Math.min(Math.max(decided - range * rangeOffsets, 0), rangeOffsets), known, refused);
}

function remove(record: LogRecord, partitions: Map<string, PartitionVerdicts>): void {
  const removed = rangeOfTombstone(record);
  const known = removed && partitions.get(partitionKey(removed));
  if (!removed || !known) return;
  known.refused.delete(removed.range);
  known.stale.delete(removed.range);
  if (known.refused.size === 0) partitions.delete(partitionKey(removed));
}

/** Resolves when the promise resolves, after this many milliseconds, or when the signal is aborted. */
async function within(ms: number, promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const timer = sleep(ms, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(
    () => undefined,
  );
  await Promise.race([promise, timer]);
  done.abort();
}
