import {
  BusyPartitionDetector,
  farReach,
  IdHistory,
  IdWindow,
  type BusyPartitionThreshold,
  type FarDuplicateTimeLimit,
  type IdWindowBounds,
  type MemoryBudget,
} from '#dataflow';
import {
  OffsetCommitter,
  PartitionErasureLookup,
  type MeasuredPartition,
  type SampledWriteRequest,
} from '#engine';
import { streamNameOf, type StreamId } from '#event';
import type { LostRecords, NewlyAssignedPartition, RecordBatch } from '#kafka';
import type { DeadLetter, EventRowBatch, PartitionShard } from '#store';
import { loadVersions } from '../number/load-versions.js';
import { StoredEventLookup } from '../number/stored-event-lookup.js';
import type {
  EntityVersionCache,
  LatestEntityVersion,
  PartitionEntityVersionCache,
} from '../number/entity-version-cache.js';
import {
  PartitionRowBuilder,
  type AcceptedOffsetsByEventId,
  type SuspectedDuplicateIds,
} from '../rows/partition-row-builder.js';
import type { MaterializerDependencies } from './materializer-dependencies.js';

export interface MaterializedPartitionDependencies extends Pick<
  MaterializerDependencies,
  'writer' | 'retry' | 'erasures' | 'window' | 'far' | 'now'
> {
  consumer: Pick<MaterializerDependencies['consumer'], 'commit'>;
  verdicts: Pick<MaterializerDependencies['verdicts'], 'decidedUntil' | 'isRefused'>;
  versions: EntityVersionCache;
  /** The memory of the histories of all partitions. */
  farMemory: MemoryBudget;
}

/** The records that Kafka has lost, and the end of the log when that was noticed. */
export interface LostEnd extends LostRecords {
  end: number;
}

/** What is known of a partition when it is assigned. */
export interface PartitionStart {
  stream: StreamId;
  /** The shard that has the rows of the partition. */
  shard: PartitionShard;
  /** The greatest stored offset of the partition; -1 if nothing is stored. */
  last: number;
  /** The records that Kafka is known to have lost. */
  lost?: LostEnd;
  /** Set if Kafka must have lost records, because the log ended before the last stored event. */
  suspected?: Omit<LostEnd, 'from'>;
  /** Timestamp of the first uncommitted record, in milliseconds; undefined if there is none. */
  oldest: number | undefined;
}

/** The rows and dead letters of one record batch of one partition, until they are stored. */
export interface PendingBatch {
  readonly state: MaterializedPartition;
  /** The rows of the batch in offset order. Rows of entities that are erased before the insert are removed. */
  rows: EventRowBatch;
  /** The version of the set of erasures that was applied to the rows of the batch. */
  asOf: number;
  readonly deadLetters: readonly DeadLetter[];
  /** The offset to commit when all rows and dead letters of the batch are stored. */
  readonly next: number;
  /** Timestamp of the last record of the batch, in milliseconds; undefined if the batch has no records. */
  readonly timestamp: number | undefined;
  /** Whether the partition had further records after this batch when the batch was fetched. */
  readonly behind: boolean;
  /** The traced requests that wrote records of the batch; undefined while tracing is off. */
  readonly sampled?: readonly SampledWriteRequest[] | undefined;
  /**
   * Resolves when the log has the decisions on the batch, or the partition is no longer assigned; undefined if nobody
   * waits for them. The batch is stored after that.
   */
  decided?: Promise<void> | undefined;
  /** Estimated memory of the batch, in bytes. */
  readonly bytes: number;
}

/** Estimated bytes of a `PendingBatch` or a dead letter in memory, without its payload. */
const objectBytes = 700;

/** Returns the batch to store that was made from a batch of records. */
export function pendingBatchOf(
  { records, next, highWatermark }: RecordBatch,
  made: Pick<PendingBatch, 'state' | 'asOf' | 'rows' | 'deadLetters' | 'sampled'>,
): PendingBatch {
  let bytes = objectBytes + made.rows.memory;
  for (const { event } of made.deadLetters) bytes += objectBytes + event.length;
  return { ...made, next, timestamp: records.at(-1)?.timestamp, behind: next < highWatermark, bytes };
}

/** Estimates the memory, in bytes, of the `PendingBatch` that is built from a record batch. */
export function estimatedBytesOf({ bytes }: RecordBatch): number {
  return objectBytes + bytes;
}

/**
 * The state of one partition that is assigned to this materializer, from the assignment until the state is discarded.
 */
export class MaterializedPartition implements MeasuredPartition {
  readonly topic: string;
  readonly partition: number;
  /** Id of the stream whose partition this is. */
  readonly stream: StreamId;
  /** Name of the stream, for metrics and traces. */
  readonly name: string;
  /** The shard that has the rows of the partition. */
  readonly shard: PartitionShard;
  /** The records that Kafka has lost: stored events without a record are written back. */
  readonly lost: LostEnd | undefined;
  /** The end that the log had, and the offset after the last stored event, if the log has lost some of them. */
  readonly lostEnd: Omit<LostEnd, 'from'> | undefined;
  readonly window: IdWindow;
  /** The ids that have left the id window. */
  readonly history: IdHistory;
  /** Whether the partition has so many records that other consumers may wait for its decisions. */
  readonly busy: BusyPartitionDetector;
  readonly versions: PartitionEntityVersionCache;
  readonly erasures: PartitionErasureLookup;
  readonly builder: PartitionRowBuilder;
  readonly stored: StoredEventLookup;
  readonly commits: OffsetCommitter;
  /** The batches whose rows have versions and are not stored yet, in offset order. */
  readonly unstored: PendingBatch[] = [];
  /** Whether the id window knows its first log time and the history is loaded, which precedes the first record. */
  warmedUp = false;
  /** The offset after the last stored event that has a record, of those that were compared; 0 without one. */
  matchedUntil = 0;
  /** The last known end offset of the partition: the offset of the next record that is appended. */
  end: number;
  /** Log time, in milliseconds since 1970, up to which all records of the partition are stored. */
  handledUntil: number;

  /** @param ended Aborted when the state of the partition is discarded. */
  constructor(
    private readonly dependencies: MaterializedPartitionDependencies,
    readonly assignment: NewlyAssignedPartition,
    { stream, shard, last, lost, suspected, oldest }: PartitionStart,
    readonly ended: AbortSignal,
  ) {
    const { writer, retry, consumer, far, farMemory, now } = dependencies;
    const { topic, partition, position } = assignment;
    this.topic = topic;
    this.partition = partition;
    this.stream = stream;
    this.name = streamNameOf(stream);
    this.shard = shard;
    this.lost = lost;
    this.lostEnd = lost ?? suspected;
    this.versions = dependencies.versions.open({ fromTheStart: position === 0 });
    this.versions.storedUpTo = position;
    const history = new IdHistory(far, farMemory);
    this.history = history;
    this.window = new IdWindow(dependencies.window, (ids, at, record) => history.add(ids, at, record));
    this.erasures = new PartitionErasureLookup(dependencies.erasures, { stream, partition });
    this.busy = new BusyPartitionDetector(markBounds(dependencies.window, far));
    this.builder = new PartitionRowBuilder({
      stream,
      topic,
      partition,
      position,
      history,
      window: this.window,
      versions: this.versions,
      erasures: this.erasures,
      verdicts: dependencies.verdicts,
    });
    this.stored = new StoredEventLookup({ writer, stream, partition, last });
    this.commits = new OffsetCommitter(position, (next) =>
      retry.run('log', ended, () => consumer.commit(topic, partition, next)),
    );
    this.end = position;
    this.handledUntil = oldest ?? now();
  }

  /** Sets the entities' latest versions to those that the store has below offset `before`. */
  async loadVersions(latest: ReadonlyMap<string, LatestEntityVersion>, before: number): Promise<void> {
    if (latest.size === 0 || this.versions.complete) return;
    const { writer, retry } = this.dependencies;
    const { stream, partition, erasures } = this;
    const query = { stream, partition, before, latest };
    await retry.run('store', this.ended, () => loadVersions(writer, query, erasures));
  }

  /** Looks up at which offsets events are accepted: in the store, and in the batches that are not stored yet. */
  async acceptedOffsets(suspects: SuspectedDuplicateIds): Promise<AcceptedOffsetsByEventId> {
    const { writer, retry } = this.dependencies;
    const { stream, partition } = this;
    // The rows in memory are read first: a row that is stored meanwhile is then found in the store.
    const unstored = this.unstoredOffsets(suspects);
    const query = { stream, partition, ...suspects };
    const accepted = await retry.run('store', this.ended, () => writer.offsetsOf(query));
    for (const [id, offset] of unstored) accepted.set(id, [...(accepted.get(id) ?? []), offset]);
    return accepted;
  }

  /**
   * Lowers the versions of later events of the entity of an event that the store rejected, because a rejected row takes
   * no version. None of these later events is stored yet.
   */
  withdraw({ entity_id: entity, offset }: { entity_id: string | null; offset: number }): void {
    if (entity === null) return;
    // If the entity was erased after the row got its version, the erasure has already restarted the later events at
    // version 1.
    if (offset < this.erasures.endOf(entity)) return;
    for (const { rows } of this.unstored) rows.lowerVersions(entity, offset);
    const latest = this.versions.get(entity);
    if (latest) latest.version--;
  }

  private unstoredOffsets({ eventIds, from, until }: SuspectedDuplicateIds): [string, number][] {
    const suspected = new Set(eventIds);
    const found: [string, number][] = [];
    for (const { rows } of this.unstored) {
      if (rows.count === 0 || rows.offsetOf(0) >= until || rows.offsetOf(rows.count - 1) < from) continue;
      for (let row = 0; row < rows.count; row++) {
        const id = rows.eventIdOf(row);
        if (suspected.has(id)) found.push([id, rows.offsetOf(row)]);
      }
    }
    return found;
  }
}

/**
 * Returns when this process marks how far a partition is decided: a little earlier than other consumers wait for the
 * marks.
 */
function markBounds({ records }: IdWindowBounds, far: FarDuplicateTimeLimit): BusyPartitionThreshold {
  return { records: Math.floor(records * 0.9), milliseconds: Math.ceil(farReach(far) * 1.1) };
}
