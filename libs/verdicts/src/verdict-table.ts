import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicNames } from '#event';
import { LogUnavailableError, partitionKey, type GlobalTableReader, type Log, type LogRecord } from '#log';
import { hasOffset, noOffsets, type OffsetBitmap } from './offset-bitmap.js';
import {
  decodeVerdicts,
  rangeOf,
  rangeOffsets,
  tombstonePlace,
  type PartitionPlace,
  type VerdictRecord,
} from './verdict-record.js';

export interface VerdictTableOptions {
  log: Pick<Log, 'tableReader' | 'admin'>;
  names: Pick<TopicNames, 'verdicts'>;
}

/** Receives verdict records as they are read. */
export interface VerdictListener {
  /** Called with each record that adds to the table. */
  added?: (record: VerdictRecord) => void;
  /**
   * Called with a record that knows less than the table has: a process wrote it after another one had taken over its
   * partition. In the compacted topic it replaces a record that knows more, until the owner writes that one again.
   */
  stale?: (record: VerdictRecord) => void;
}

interface PartitionVerdicts {
  readonly place: PartitionPlace;
  decided: number;
  /** The refused records of each range that has verdicts. */
  readonly refused: Map<number, OffsetBitmap>;
}

/**
 * Settings of the topic. Compaction keeps the newest record of each range of offsets; `min.compaction.lag.ms` keeps all
 * records for the writers that wait for their verdicts.
 */
const settings = {
  partitions: 1,
  config: { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': '60000', 'segment.ms': '3600000' },
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

  /** Resolves when the table has all verdicts that the topic has now. @throws LogUnavailableError when it takes too long */
  async caughtUpToEnd(timeoutMs: number): Promise<void> {
    await this.ready();
    const { log, names } = this.options;
    const [{ beginning, end } = { beginning: 0, end: 0 }] = await log.admin.offsets(names.verdicts);
    if (end > beginning) await this.caughtUp(end - 1, timeoutMs);
  }

  /** Returns the offset below which every conditional record of the partition has a verdict. */
  decidedUntil(place: PartitionPlace): number {
    return this.partitions.get(partitionKey(place))?.decided ?? 0;
  }

  /** Returns whether a decided record is refused. */
  isRefused(place: PartitionPlace, offset: number): boolean {
    return hasOffset(this.refusedIn(place, rangeOf(offset)), offset % rangeOffsets);
  }

  /** Returns the refused records of a range. */
  refusedIn(place: PartitionPlace, range: number): OffsetBitmap {
    return this.partitions.get(partitionKey(place))?.refused.get(range) ?? noOffsets;
  }

  /** Yields the ranges of all partitions that have verdicts. */
  *ranges(): Generator<PartitionPlace & { range: number }> {
    for (const { place, refused } of this.partitions.values())
      for (const range of refused.keys()) yield { ...place, range };
  }

  /**
   * Resolves when the conditional record at this offset has a verdict. Waits as long as it takes.
   * @param waiting Called about once a second during the wait.
   * @throws the signal's reason
   */
  async decided(
    place: PartitionPlace & { offset: number },
    signal: AbortSignal,
    waiting: () => void = () => undefined,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const changed = this.nextChange;
      if (this.decidedUntil(place) > place.offset) return;
      waiting();
      try {
        await this.ready();
        if (this.decidedUntil(place) > place.offset) return;
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
      }
      const check = sleep(checkMs, undefined, { signal }).catch(() => undefined);
      await Promise.race([changed, check]);
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

  private async start(): Promise<void> {
    if (this.closed) throw new LogUnavailableError('the verdicts are closed');
    const { log, names } = this.options;
    await log.admin.create(names.verdicts, settings);
    this.partitions = new Map();
    this.reader = log.tableReader(names.verdicts, { record: (record) => this.take(record) });
    await this.reader.start();
  }

  private async restart(): Promise<void> {
    const { reader } = this;
    this.reader = undefined;
    this.started = undefined;
    await reader?.close();
  }

  private take(record: LogRecord): void {
    const found = decodeVerdicts(record);
    if (found === null) this.remove(record);
    if (!found) return;
    const known = this.partitions.get(partitionKey(found)) ?? this.noVerdicts(found);
    const isStale = found.decided < known.decided;
    // A record that is written again for a stale one is not new, and only a reader that starts later needs it.
    const isKnown = found.decided === known.decided && known.refused.has(found.range);
    if (isStale) for (const listener of this.listeners) listener.stale?.(found);
    if (isStale || isKnown) return;
    known.decided = found.decided;
    known.refused.set(found.range, found.refused);
    this.partitions.set(partitionKey(found), known);
    for (const listener of this.listeners) listener.added?.(found);
    this.changed();
    this.awaitChange();
  }

  private noVerdicts({ topic, partition }: PartitionPlace): PartitionVerdicts {
    return { place: { topic, partition }, decided: 0, refused: new Map() };
  }

  private remove(record: LogRecord): void {
    const place = tombstonePlace(record);
    const known = place && this.partitions.get(partitionKey(place));
    known?.refused.delete(place!.range);
    if (known?.refused.size === 0) this.partitions.delete(partitionKey(place!));
  }

  private awaitChange(): void {
    this.nextChange = new Promise((resolve) => (this.changed = resolve));
  }
}
