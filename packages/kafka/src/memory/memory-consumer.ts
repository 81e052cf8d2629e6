import { LogUnavailableError } from '../errors.js';
import { unknownEpoch, type EpochPosition } from '../epoch-position.js';
import { LeaderEpochs } from '../kafka/consume/leader-epochs.js';
import { partitionKey, type TopicPartition } from '../topic-partition.js';
import { settledWithin } from '../timeouts.js';
import type { NewlyAssignedPartition, Consumer, ConsumerOptions, LostRecords } from '../log.js';
import type { MemoryBroker } from './memory-broker.js';
import type { MemoryConsumerGroup, MemoryConsumerGroupMember } from './memory-consumer-group.js';
import type { MemoryTopic } from './memory-topic.js';

const batchRecords = 1000;

const releaseMs = 3_000;
/** How often a standalone consumer checks whether a missing topic exists now. */
const missingTopicsMs = 20;

/** A partition that the consumer owns, from its assignment until its revocation. */
interface OwnedMemoryPartition extends TopicPartition {
  open: boolean;
  /** True once the partition gets no further batch; its last batch may still commit. */
  ending: boolean;
  revoked: boolean;
  /** The leader epochs of the records that were read. */
  epochs: LeaderEpochs;
  /** Records that were read and that the log has lost. */
  lost: LostRecords | undefined;
  wake: () => void;
}

/** In-memory fake of `Consumer`: reads the topics of a `MemoryBroker` as a member of a `MemoryConsumerGroup`. */
export class MemoryConsumer implements Consumer, MemoryConsumerGroupMember {
  topics: ReadonlySet<string> = new Set();
  private held: OwnedMemoryPartition[] = [];
  private readonly busy = new Map<string, Promise<unknown>>();
  private stopping = false;
  private member = false;
  /** Always true: a rebalance in memory waits for no other member. */
  readonly joined = true;

  readonly id: string;
  private readonly group: MemoryConsumerGroup;

  constructor(
    private readonly broker: MemoryBroker,
    private readonly options: ConsumerOptions,
  ) {
    this.group = broker.group(options.group);
    this.id = this.group.nextId();
  }

  get owned(): readonly TopicPartition[] {
    return this.held;
  }

  async subscribe(topics: readonly string[]): Promise<void> {
    if (this.stopping) throw new LogUnavailableError('the consumer is closed');
    this.topics = new Set(topics);
    if (this.options.standalone) return this.readAlone();
    if (!this.member) {
      this.member = true;
      return this.group.join(this);
    }
    const left = this.held.filter(({ topic }) => !this.topics.has(topic));
    if (left.length > 0) void this.release(left).then(() => this.group.rebalance());
    this.group.rebalance();
  }

  /** Reads all partitions of the topics that exist, and looks for missing topics again while there are some. */
  private readAlone(): void {
    if (this.stopping) return;
    const left = this.held.filter(({ topic }) => !this.topics.has(topic));
    if (left.length > 0) void this.release(left);
    let isComplete = true;
    for (const name of this.topics) {
      const topic = this.broker.down ? undefined : this.broker.topics.get(name);
      isComplete &&= topic !== undefined;
      if (!topic || this.held.some((held) => held.topic === name)) continue;
      this.assign(topic.partitions.map((_, partition) => ({ topic: name, partition })));
    }
    if (!isComplete) setTimeout(() => this.readAlone(), missingTopicsMs);
  }

  /** The in-memory log delivers records at once. */
  fetchNow(): void {
    // Nothing is collected.
  }

  reassign(topic: string, partition?: number): void {
    const again = this.held.filter(
      (held) =>
        held.topic === topic && (partition ?? held.partition) === held.partition && held.open && !held.ending,
    );
    for (const held of again) this.letGo(held);
    this.assign(again.map((held) => ({ topic, partition: held.partition })));
  }

  async commit(topic: string, partition: number, offset: number): Promise<boolean> {
    this.broker.throwIfDown();
    const own = this.held.find((held) => held.open && isSame(held, { topic, partition }));
    if (own && !this.options.standalone)
      this.group.commit({ topic, partition }, offset, own.epochs.before(offset));
    return own !== undefined;
  }

  async close(): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    for (const held of this.held) held.wake();
    await Promise.all(this.busy.values());
    for (const place of this.held) this.letGo(place);
    this.group.leave(this);
  }

  async release(places: readonly TopicPartition[]): Promise<void> {
    const own = this.held.filter((held) => places.some((place) => isSame(held, place)));
    for (const held of own) {
      held.ending = true;
      held.wake();
    }
    const batches = own.map(async (held) => this.busy.get(partitionKey(held)));
    await settledWithin(releaseMs, Promise.allSettled(batches));
    for (const held of own) this.letGo(held);
  }

  drop(topic: string): void {
    for (const held of this.held) if (held.topic === topic) this.letGo(held);
  }

  private letGo(place: OwnedMemoryPartition): void {
    if (place.revoked) return;
    place.revoked = true;
    this.held = this.held.filter((held) => held !== place);
    place.wake();
    if (place.open) this.options.handler.revoked({ topic: place.topic, partition: place.partition });
  }

  assign(places: readonly TopicPartition[], lost?: LostRecords): void {
    if (this.stopping) return;
    for (const place of places) {
      const held: OwnedMemoryPartition = {
        ...{ ...place, open: false, ending: false, revoked: false, lost },
        epochs: new LeaderEpochs({ offset: 0, leaderEpoch: unknownEpoch }),
        wake: () => undefined,
      };
      this.held.push(held);
      void this.consume(held).catch((error: Error) => {
        if (!held.revoked) this.options.onCrash(error);
      });
    }
  }

  private async consume(held: OwnedMemoryPartition): Promise<void> {
    const key = `${held.topic}/${held.partition}`;
    await this.busy.get(key);
    const topic = this.broker.topics.get(held.topic);
    if (held.revoked || held.ending || !topic) return;
    held.open = true;
    const assignment = this.describe(held, topic);
    const asked = await this.keepBusy(key, this.options.handler.assigned(assignment));
    let next = Math.max(Math.min(asked, assignment.position), assignment.beginning);
    while (!held.revoked && !held.ending && !this.stopping) {
      const lost = lostRecordsOf(topic, held.partition, held.epochs.last);
      if (lost) {
        this.letGo(held);
        return this.assign([{ topic: held.topic, partition: held.partition }], lost);
      }
      const records = topic.read(held.partition, next, batchRecords);
      const last = records.at(-1);
      if (!last) {
        await this.untilAppended(held, topic, next);
        continue;
      }
      const { partition } = held;
      const until = last.offset + 1;
      held.epochs.add(topic.epochsIn(partition, { from: next, until }), until);
      next = until;
      const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
      const highWatermark = topic.end(partition);
      const batch = { topic: held.topic, partition, records, bytes, next, highWatermark };
      await this.keepBusy(key, this.options.handler.batch(batch));
    }
  }

  private describe(held: OwnedMemoryPartition, topic: MemoryTopic): NewlyAssignedPartition {
    const { topic: name, partition } = held;
    const beginning = topic.beginning(partition);
    const committed = this.group.positionOf(held);
    const lost = held.lost ?? (committed && lostRecordsOf(topic, partition, committed));
    const next = Math.min(committed?.offset ?? -1, lost?.from ?? Infinity);
    const position = next >= beginning && next <= topic.end(partition) ? next : beginning;
    if (committed && !lost) held.epochs = new LeaderEpochs(committed);
    return {
      topic: name,
      partition,
      position,
      beginning,
      ...(lost && { lost }),
      offsetAt: async (timestamp) => topic.offsetAt(partition, timestamp),
      timestampAtPosition: async () => topic.read(partition, position, 1)[0]?.timestamp,
      epochBefore: (offset) => held.epochs.before(offset),
      epochStartIn: (first, last) => held.epochs.startIn(first, last),
      lostBefore: async (read) => lostRecordsOf(topic, partition, read)?.from,
    };
  }

  private async untilAppended(held: OwnedMemoryPartition, topic: MemoryTopic, next: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const remove = topic.onAppend(() => topic.end(held.partition) !== next && held.wake());
      held.wake = () => {
        remove();
        resolve();
      };
      if (held.revoked || held.ending || this.stopping) held.wake();
    });
  }

  private async keepBusy<T>(key: string, call: Promise<T>): Promise<T> {
    const over = call.catch(() => undefined);
    this.busy.set(key, over);
    try {
      return await call;
    } finally {
      if (this.busy.get(key) === over) this.busy.delete(key);
    }
  }
}

/** Returns the records before a position that the log has lost. */
function lostRecordsOf(
  topic: MemoryTopic,
  partition: number,
  { offset, leaderEpoch }: EpochPosition,
): LostRecords | undefined {
  if (leaderEpoch === unknownEpoch) return undefined;
  const from = topic.endOfEpoch(partition, leaderEpoch);
  return from < offset ? { from, until: offset } : undefined;
}

function isSame(a: TopicPartition, b: TopicPartition): boolean {
  return a.topic === b.topic && a.partition === b.partition;
}
