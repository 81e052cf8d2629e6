import type { TopicAndGroupNames } from '#event';
import {
  LogUnavailableError,
  partitionKey,
  type GlobalTableReader,
  type Log,
  type ConsumerRecord,
  type TopicPartition,
} from '#kafka';
import { decodeMark, type DecidedMark } from './decided-mark.js';
import { hasIndex, isSameBitmap, joinedAt, noOffsets, type OffsetBitmap } from './offset-bitmap.js';
import {
  decodeVerdicts,
  rangeOf,
  rangeOffsets,
  rangeOfTombstone,
  type NumberedOffsetRange,
  type OffsetRangeVerdicts,
} from './offset-range-verdicts.js';

export interface VerdictTableOptions {
  log: Pick<Log, 'tableReader' | 'admin'>;
  names: Pick<TopicAndGroupNames, 'verdicts'>;
}

/** Receives the verdict records of all partitions when the verdict table reads them. */
export interface VerdictListener {
  /** Called with each verdict record that adds verdicts to the table. */
  added?: (record: OffsetRangeVerdicts) => void;
  /** Called when the newest record of an offset range has become stale; see `VerdictTable.staleRanges`. */
  stale?: (range: NumberedOffsetRange) => void;
}

interface PartitionVerdicts {
  readonly topicPartition: TopicPartition;
  decided: number;
  /** Number of the offset range whose newest record has the greatest `decided` of the partition; -1 if a mark has it. */
  newest: number;
  /** Whether the topic has a mark of the partition. */
  isMarked: boolean;
  /** The refused records of each offset range that has verdicts, by the number of the range. */
  readonly refused: Map<number, OffsetBitmap>;
  /** Numbers of the offset ranges whose newest record in the topic is stale. */
  readonly stale: Set<number>;
}

/**
 * Settings of the topic `verdicts`. Compaction keeps the newest record of each offset range. `min.compaction.lag.ms`
 * keeps all records for a while, for the writers that wait for verdicts.
 */
const settings = {
  partitions: 1,
  config: {
    'cleanup.policy': 'compact',
    'min.compaction.lag.ms': '60000',
    // Kafka soon compacts small segments, so that a process that starts reads few records.
    'segment.bytes': String(16 * 1024 * 1024),
    'segment.ms': '600000',
    'min.cleanable.dirty.ratio': '0.1',
  },
};

/** Milliseconds between two checks, during a wait, whether the reader of the topic still works. */
const checkMs = 1000;

/**
 * The verdicts on all records, in memory: for each partition, the offset below which all records are decided, and one
 * bit for each refused record. If several verdicts on a record exist, the first one is valid; a mark with `reset` discards
 * verdicts on records that Kafka has lost. All processes read the topic in the same order, so all agree on the valid verdict.
 *
 * The topic `verdicts` is created and read when a process first needs the table: a system without conditional writes
 * and without busy partitions has no such topic.
 */
export class VerdictTable {
  private partitions = new Map<string, PartitionVerdicts>();
  private isLoaded = false;
  private readonly listeners = new Set<VerdictListener>();
  private reader: GlobalTableReader | undefined;
  private started: Promise<void> | undefined;
  private closed = false;
  /** Resolves when the running request whether the topic exists has ended. */
  private asking: Promise<void> = Promise.resolve();
  /** The next request, which begins when the running one has ended. */
  private question: Promise<boolean> | undefined;
  /** Ends the waits for a change of the table. */
  private readonly wakeups = new Set<() => void>();

  constructor(private readonly options: VerdictTableOptions) {}

  /**
   * Resolves when the table has all verdicts that the topic had at the first call.
   * @throws LogUnavailableError when Kafka cannot be reached; a later call tries again
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

  /** Whether `ready` resolves at once, so that a caller need not wait for it. */
  get isReady(): boolean {
    return this.isLoaded && !this.reader?.failure;
  }

  /**
   * Resolves true when the table is ready; false if the topic does not exist, so that no record is refused yet.
   * @throws LogUnavailableError when Kafka cannot be reached; a later call tries again
   */
  async readyIfUsed(): Promise<boolean> {
    if (!this.started && !(await this.exists())) return false;
    await this.ready();
    return true;
  }

  /** Whether the table is being read. */
  get isUsed(): boolean {
    return this.started !== undefined;
  }

  /**
   * Resolves when the table has all verdicts that the topic has now. The new owner of a partition calls this method
   * before it decides a record, because its table may not have the last verdicts of the previous owner yet.
   * @throws LogUnavailableError when the table does not catch up within `timeoutMs`
   */
  async upToDate(timeoutMs: number): Promise<void> {
    await this.ready();
    const { log, names } = this.options;
    const [offsets] = await log.admin.offsets(names.verdicts);
    if (offsets && offsets.end > offsets.beginning) await this.caughtUp(offsets.end - 1, timeoutMs);
  }

  /** Resolves when the table has the record at this offset. @throws LogUnavailableError after `timeoutMs` */
  async caughtUp(offset: number, timeoutMs: number): Promise<void> {
    await this.ready();
    await this.reader!.caughtUp(offset, timeoutMs);
  }

  /** Returns the offset below which every record of the partition is decided. */
  decidedUntil(topicPartition: TopicPartition): number {
    return this.partitions.get(partitionKey(topicPartition))?.decided ?? 0;
  }

  /** Returns whether the record at this offset, which already has a verdict, is refused. */
  isRefused(topicPartition: TopicPartition, offset: number): boolean {
    return hasIndex(this.refusedIn(topicPartition, rangeOf(offset)), offset % rangeOffsets);
  }

  /** Returns the refused records of an offset range of a partition. */
  refusedIn(topicPartition: TopicPartition, range: number): OffsetBitmap {
    return this.partitions.get(partitionKey(topicPartition))?.refused.get(range) ?? noOffsets;
  }

  /** Yields the partitions of which the topic has a mark. */
  *marked(): Generator<TopicPartition> {
    for (const { topicPartition, isMarked } of this.partitions.values()) if (isMarked) yield topicPartition;
  }

  /** Yields the offset ranges of all partitions that have verdicts. */
  *ranges(): Generator<NumberedOffsetRange> {
    for (const { topicPartition, refused } of this.partitions.values())
      for (const range of refused.keys()) yield { ...topicPartition, range };
  }

  /**
   * Returns the offset ranges of a partition whose newest record is stale: the record has fewer verdicts than the
   * table. A fenced process writes a stale record after another process has taken over the partition. Compaction would
   * keep only the stale record, so the owner of the partition must publish the verdicts of the range again.
   */
  staleRanges(topicPartition: TopicPartition): number[] {
    return [...(this.partitions.get(partitionKey(topicPartition))?.stale ?? [])];
  }

  /**
   * Resolves when the record at this offset is decided. The wait has no time limit.
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
      try {
        await this.ready();
        if (this.decidedUntil(position) > position.offset) return;
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
      }
      waiting();
      await this.changeWithin(checkMs, signal);
    }
  }

  /** Passes verdict records that are read from now on to the listener. Returns a function that removes it. */
  listen(listener: VerdictListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.reader?.close();
  }

  /**
   * Resolves with whether the topic exists. Calls share a request, because each of a thousand partitions makes one. A
   * request that has begun before a call could miss the topic, so the call waits for the next request.
   */
  private exists(): Promise<boolean> {
    const { log, names } = this.options;
    this.question ??= this.asking.then(() => {
      this.question = undefined;
      const asked = log.admin.partitions(names.verdicts).then((partitions) => partitions !== undefined);
      this.asking = asked.then(
        () => undefined,
        () => undefined,
      );
      return asked;
    });
    return this.question;
  }

  /** Reads the topic into a new table, which replaces the current table when the new one is complete. */
  private async start(): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the verdicts are closed');
    const { log, names } = this.options;
    await log.admin.create(names.verdicts, settings);
    const partitions = new Map<string, PartitionVerdicts>();
    this.reader = log.tableReader(names.verdicts, { record: (record) => this.take(record, partitions) });
    await this.reader.start();
    this.partitions = partitions;
    this.isLoaded = true;
    for (const { topicPartition, stale } of partitions.values())
      for (const range of stale) this.notify('stale', { ...topicPartition, range });
  }

  private async restart(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    this.started = undefined;
    this.isLoaded = false;
    await reader?.close();
  }

  private take(record: ConsumerRecord, partitions: Map<string, PartitionVerdicts>): void {
    const mark = decodeMark(record);
    if (mark) return this.takeMark(mark, partitions);
    const found = decodeVerdicts(record);
    if (found === null) return remove(record, partitions);
    if (!found) return;
    const known = partitions.get(partitionKey(found)) ?? noVerdicts(found);
    partitions.set(partitionKey(found), known);
    const isNew = found.decided > known.decided;
    const before = known.refused.get(found.range);
    const rejected = firstVerdicts(known.decided, before, found);
    if (isNew || before === undefined) known.refused.set(found.range, rejected);
    if (isNew) Object.assign(known, { decided: found.decided, newest: found.range });
    // A verdict record that lacks the newest verdicts of its range is stale: in the compacted topic, it replaces the
    // records before it.
    const kept = known.refused.get(found.range)!;
    const hasDecided = found.range !== known.newest || found.decided === known.decided;
    const isComplete = hasDecided && isSameBitmap(kept, found.refused);
    if (isComplete) known.stale.delete(found.range);
    else known.stale.add(found.range);
    if (!isComplete && partitions === this.partitions) this.notify('stale', found);
    if (!isNew) return;
    this.notify('added', found);
    for (const wake of this.wakeups) wake();
  }

  private takeMark(mark: DecidedMark, partitions: Map<string, PartitionVerdicts>): void {
    const known = partitions.get(partitionKey(mark)) ?? noVerdicts(mark);
    if (mark.reset) discardFrom(known, mark.decided);
    known.isMarked = mark.decided > 0;
    if (known.isMarked || known.refused.size > 0) partitions.set(partitionKey(mark), known);
    else partitions.delete(partitionKey(mark));
    if (mark.decided <= known.decided) return;
    Object.assign(known, { decided: mark.decided, newest: -1 });
    for (const wake of this.wakeups) wake();
  }

  private notify(event: keyof VerdictListener, record: NumberedOffsetRange): void {
    for (const listener of this.listeners) listener[event]?.(record as OffsetRangeVerdicts);
  }

  /** Resolves when the table changes, after `ms` milliseconds, or when the signal is aborted. */
  private changeWithin(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.wakeups.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      this.wakeups.add(wake);
    });
  }
}

function noVerdicts({ topic, partition }: TopicPartition): PartitionVerdicts {
  return {
    topicPartition: { topic, partition },
    decided: 0,
    newest: -1,
    isMarked: false,
    refused: new Map(),
    stale: new Set(),
  };
}

/**
 * Returns the refused records of an offset range after a verdict record is read. Below `decided`, the known verdicts
 * remain, because the first verdict on a record is valid. If none are known, a mark can have decided the records, or
 * compaction has removed the first verdicts, which the record repeats below `from`.
 */
function firstVerdicts(
  decided: number,
  known: OffsetBitmap | undefined,
  { range, from, refused: read }: OffsetRangeVerdicts,
): OffsetBitmap {
  const indexOf = (offset: number) => Math.min(Math.max(offset - range * rangeOffsets, 0), rangeOffsets);
  const before = known ?? joinedAt(indexOf(from), read, noOffsets);
  return joinedAt(indexOf(decided), before, read);
}

/** Discards the verdicts at offsets from `offset` on. */
function discardFrom(known: PartitionVerdicts, offset: number): void {
  const { refused: bitmaps, stale } = known;
  for (const [range, bitmap] of bitmaps) {
    if (range < rangeOf(offset)) continue;
    stale.delete(range);
    if (range > rangeOf(offset)) bitmaps.delete(range);
    else bitmaps.set(range, joinedAt(offset % rangeOffsets, bitmap, noOffsets));
  }
  if (known.decided > offset) Object.assign(known, { decided: offset, newest: -1 });
}

function remove(record: ConsumerRecord, partitions: Map<string, PartitionVerdicts>): void {
  const removed = rangeOfTombstone(record);
  const known = removed && partitions.get(partitionKey(removed));
  if (!removed || !known) return;
  known.refused.delete(removed.range);
  known.stale.delete(removed.range);
  if (known.refused.size === 0 && !known.isMarked) partitions.delete(partitionKey(removed));
}
