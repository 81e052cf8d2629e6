import {
  OffsetCommitter,
  type ErasureLookup,
  PartitionErasureLookup,
  type KafkaOrClickHouseRetrier,
  warmUpStart,
} from '#engine';
import { partitionKey, type NewlyAssignedPartition, type Consumer } from '#kafka';
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
import type { Logger } from '#telemetry';
import type { VerdictTable } from '#verdicts';
import { streamNameOf, type StreamId, type TopicAndGroupNames } from '#event';
import { PartitionRowBuilder, type PartitionVerdictLookup } from './partition-row-builder.js';
import type { MaterializedPartition } from './materialized-partition.js';
import type { MaterializerStore } from './materializer-store.js';
import { StoredEventLookup } from './stored-event-lookup.js';
import type { EntityVersionCache } from './entity-version-cache.js';

/**
 * Default of `AssignedPartitionsOptions.keepMs`. A member that Kafka has fenced rejoins its consumer group within a few
 * seconds.
 */
const keepRevokedMs = 15_000;

export interface AssignedPartitionsOptions {
  topics: TopicAndGroupNames;
  writer: MaterializerStore;
  consumer(): Consumer;
  retry: KafkaOrClickHouseRetrier;
  logger: Logger;
  versions: EntityVersionCache;
  erasures: ErasureLookup;
  window: IdWindowBounds;
  far: FarDuplicateTimeLimit;
  /** The memory of the histories of all partitions. */
  farMemory: MemoryBudget;
  verdicts: Pick<VerdictTable, 'decidedUntil' | 'isRefused'>;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Called when the state of a partition is discarded, so that its pending events need not be stored any more. */
  dropped(state: MaterializedPartition): void;
  /** Milliseconds for which the state of a revoked partition is kept, in case the partition is assigned again. */
  keepMs?: number;
}

/**
 * The last stored offset of a partition at its assignment, the offset to read from, and the time of the first
 * uncommitted record.
 */
interface PartitionStartOffsets {
  stream: StreamId;
  /** The greatest stored offset of the partition; -1 if nothing is stored. */
  last: number;
  start: number;
  /** Timestamp of the first uncommitted record, in milliseconds; undefined if there is none. */
  oldest: number | undefined;
}

/**
 * Returns when this process marks how far a partition is decided: a little earlier than other consumers wait for the
 * marks.
 */
function markBounds({ records }: IdWindowBounds, far: FarDuplicateTimeLimit): BusyPartitionThreshold {
  return { records: Math.floor(records * 0.9), milliseconds: Math.ceil(farReach(far) * 1.1) };
}

interface AssignedPartition {
  readonly topic: string;
  end: AbortController;
  state?: MaterializedPartition;
  /** Timer that discards the state of a revoked partition; undefined while the partition is assigned. */
  expiry?: NodeJS.Timeout;
}

/**
 * The partitions that are assigned to this process, each with its `MaterializedPartition` state.
 *
 * A member that Kafka has fenced from its consumer group loses all partitions, and usually gets them back after it
 * rejoins. The state of a partition depends only on the log. The state is therefore kept for a while after a
 * revocation, and a partition that is assigned again continues without filling its id window again.
 */
export class AssignedPartitions {
  private readonly held = new Map<string, AssignedPartition>();

  constructor(private readonly options: AssignedPartitionsOptions) {}

  /** Yields the states of the partitions that are assigned to this process and ready to be read. */
  *[Symbol.iterator](): Iterator<MaterializedPartition> {
    for (const { state, expiry } of this.held.values()) if (state && !expiry) yield state;
  }

  get(topic: string, partition: number): MaterializedPartition | undefined {
    return this.held.get(partitionKey({ topic, partition }))?.state;
  }

  /**
   * Prepares an assigned partition, and resolves with the offset to read from. The offset to read from lies before the
   * committed offset, so that the id window is filled before the first uncommitted record. Waits while Kafka or
   * ClickHouse is unreachable.
   */
  async add(assignment: NewlyAssignedPartition): Promise<number> {
    const key = partitionKey(assignment);
    if (await this.goesOn(key, assignment)) return assignment.position;
    this.drop(key);
    const held: AssignedPartition = { topic: assignment.topic, end: new AbortController() };
    this.held.set(key, held);
    try {
      const known = await this.prepare(assignment, held.end.signal);
      held.end.signal.throwIfAborted();
      held.state = this.open(assignment, { ...known, ended: held.end.signal });
      return known.start;
    } catch (error) {
      if (held.end.signal.aborted) return assignment.position;
      throw error;
    }
  }

  /** Stops reading a revoked partition. The state of the partition is discarded after `keepMs`. */
  revoke(place: { topic: string; partition: number }): void {
    const key = partitionKey(place);
    const held = this.held.get(key);
    if (!held?.state) return this.drop(key);
    clearTimeout(held.expiry);
    held.expiry = setTimeout(() => this.drop(key), this.options.keepMs ?? keepRevokedMs).unref();
  }

  /**
   * Discards the partitions of all topics except the given ones. Returns the names of the streams that are no longer
   * read.
   */
  keepOnly(topics: ReadonlySet<string>): Set<string> {
    const gone = [...this.held].filter(([, { topic }]) => !topics.has(topic));
    for (const [key] of gone) this.drop(key);
    return new Set(gone.flatMap(([, { state }]) => (state ? [state.name] : [])));
  }

  /** Discards the states of all partitions. */
  clear(): void {
    for (const key of [...this.held.keys()]) this.drop(key);
  }

  /** Returns whether a partition that is assigned again continues with the state that was kept after its revocation. */
  private async goesOn(key: string, assignment: NewlyAssignedPartition): Promise<boolean> {
    const held = this.held.get(key);
    if (!held?.state) return false;
    const { expiry, state } = held;
    if (!(await this.isUnchanged(state, assignment)) || this.held.get(key) !== held) return false;
    state.commits.stands(assignment.position);
    // If the partition was revoked again during the check, the timer that discards its state keeps running.
    if (held.expiry !== expiry) return true;
    clearTimeout(expiry);
    held.expiry = undefined;
    return true;
  }

  /**
   * Returns whether the kept state of a partition still matches the log: no other process has committed a later offset,
   * the consumer group's offset was not reset, and the topic was not recreated. If some records were read but not
   * committed, the record at the committed offset must be the record that was read there before.
   */
  private async isUnchanged(
    { commits, fold, ended }: MaterializedPartition,
    assignment: NewlyAssignedPartition,
  ): Promise<boolean> {
    const { position } = assignment;
    if (position < commits.committed || position > fold.next) return false;
    if (position === fold.next) return true;
    try {
      const timestamp = await this.options.retry.run('log', ended, () => assignment.timestampAtPosition());
      return timestamp !== undefined && fold.beganAt(position, timestamp);
    } catch (error) {
      if (ended.aborted) return false;
      throw error;
    }
  }

  private drop(key: string): void {
    const held = this.held.get(key);
    if (!held) return;
    this.held.delete(key);
    clearTimeout(held.expiry);
    held.end.abort();
    if (!held.state) return;
    this.options.versions.release(held.state.versions);
    held.state.history.close();
    this.options.dropped(held.state);
  }

  private async prepare(
    assignment: NewlyAssignedPartition,
    ended: AbortSignal,
  ): Promise<PartitionStartOffsets> {
    const { writer, retry, topics, window } = this.options;
    const stream = topics.streamOf(assignment.topic);
    if (!stream) throw new RangeError(`The topic ${assignment.topic} does not belong to a stream`);
    const last = await retry.run('store', ended, () => writer.lastStoredOffset(stream, assignment.partition));
    const [start, oldest] = await retry.run('log', ended, async () => [
      await warmUpStart(assignment, window, this.options.now()),
      await assignment.timestampAtPosition(),
    ]);
    return { stream, last: last ?? -1, start, oldest };
  }

  private open(
    assignment: NewlyAssignedPartition,
    known: PartitionStartOffsets & { ended: AbortSignal },
  ): MaterializedPartition {
    const { writer, logger, verdicts: table } = this.options;
    const { topic, partition, position } = assignment;
    const { stream, last, ended } = known;
    const versions = this.options.versions.open({ fromTheStart: position === 0 });
    versions.storedUpTo = position;
    const { far, farMemory } = this.options;
    const history = new IdHistory(far, farMemory);
    const window = new IdWindow(this.options.window, (ids, at, record) => history.add(ids, at, record));
    const erasures = new PartitionErasureLookup(this.options.erasures, { stream, partition });
    const verdicts: PartitionVerdictLookup = {
      get decided() {
        return table.decidedUntil({ topic, partition });
      },
      isRefused: (offset) => table.isRefused({ topic, partition }, offset),
    };
    const others = (offset: number): void =>
      logger.warn(
        { stream, topic, partition, offset },
        'the store has other events at these offsets, so the topic may have been recreated; the new events are stored beside the old ones',
      );
    return {
      ...{
        topic,
        partition,
        stream,
        name: streamNameOf(stream),
        assignment,
        window,
        history,
        versions,
        erasures,
        ended,
      },
      stored: new StoredEventLookup({ writer, stream, partition, last, others }),
      busy: new BusyPartitionDetector(markBounds(this.options.window, far)),
      fold: new PartitionRowBuilder({
        ...{ stream, partition, position, window, history, versions, erasures, verdicts },
      }),
      commits: new OffsetCommitter(position, (next) =>
        this.options.retry.run('log', ended, () => this.options.consumer().commit(topic, partition, next)),
      ),
      primed: false,
      end: position,
      handledUntil: known.oldest ?? this.options.now(),
    };
  }
}
