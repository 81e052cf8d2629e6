import { MinHeap } from '#async';
import { addTo, type DeliveryTally } from './delivery-tally.js';
import { EntityDeliveries, refOf, type Delivery } from './delivery.js';
import type {
  ClaimCommand,
  DeliveryRow,
  EventRef,
  FreshRange,
  HandOutRef,
  ParkedCommand,
  SeekCommand,
  SettleCommand,
  SettleResult,
  SnapshotCommand,
  SubscriptionCommand,
} from './subscription-command.js';

/** Where a command stands in the topic: its offset, and the broker's time in milliseconds since 1970. */
export interface CommandPosition {
  offset: number;
  timestamp: number;
}

/** An event that a claim has handed out. */
export type GrantedDelivery = Readonly<
  Pick<Delivery, 'source' | 'partition' | 'offset' | 'entity' | 'claim' | 'attempt'>
>;

/** What a command did. */
export interface CommandOutcome {
  /** The events that a claim has handed out. */
  granted: readonly GrantedDelivery[];
  /** The results of `ack`, `nack` and `extend`, in their order. */
  settled: readonly SettleResult[];
  /** The number of parked events that were replayed or discarded. */
  changed: number;
  tally: DeliveryTally;
}

/** Numbers of deliveries by what became of them. */
export interface DeliveryCounts {
  out: number;
  waiting: number;
  retry: number;
  parked: number;
}

interface PartitionState {
  readonly source: string;
  readonly partition: number;
  /** Every selected event below this offset was taken up. Those that are not in `deliveries` are done. */
  next: number;
  readonly deliveries: Map<number, Delivery>;
}

/** An event that is out can be prolonged up to this time after it was handed out, in milliseconds. */
const longestLease = 3_600_000;

/**
 * What is out, waits and is parked of one subscription. The state depends on the commands in the log alone, so every process
 * that has read the same commands has the same state, and of two claims for one event the first in the log holds.
 */
export class SubscriptionState {
  private readonly partitions = new Map<string, PartitionState>();
  private readonly entities = new Map<string, EntityDeliveries>();
  /** Deliveries that can probably be claimed now: those that are out already, and the others. */
  private readonly expired = new Set<Delivery>();
  private readonly ready = new Set<Delivery>();
  /** Deliveries that are `out` or `retry`, by when they are due. */
  private readonly due = new MinHeap<Delivery>();
  /** Whether the later events of an entity wait while one is parked, as the last claim has said. */
  parkedBlocks = true;
  readonly counts: DeliveryCounts = { out: 0, waiting: 0, retry: 0, parked: 0 };
  /** What the present command has done so far. */
  private tally: DeliveryTally = {};

  /** Number of events that were taken up and are not done. */
  get open(): number {
    const { out, waiting, retry, parked } = this.counts;
    return out + waiting + retry + parked;
  }

  /** Returns the offset up to which all events of a partition were taken up; undefined before the first claim. */
  nextOf(source: string, partition: number): number | undefined {
    return this.partitions.get(partitionKey(source, partition))?.next;
  }

  /** Applies the next command of the log. */
  apply(command: SubscriptionCommand, position: CommandPosition): CommandOutcome {
    this.tally = {};
    const outcome = { ...nothing, tally: this.tally };
    switch (command.type) {
      case 'claim':
        return { ...outcome, granted: this.claim(command, position) };
      case 'settle':
        return { ...outcome, settled: this.settle(command, position.timestamp) };
      case 'parked':
        return { ...outcome, changed: this.changeParked(command, position.timestamp) };
      case 'seek':
        this.seek(command);
        return outcome;
    }
  }

  /**
   * Returns deliveries that a claim could hand out again at this time: at most `most`, and at most `room` that are not out.
   * @param now milliseconds since 1970, by the broker's clock
   */
  claimable(now: number, { most, room }: { most: number; room: number }): Delivery[] {
    for (const delivery of this.due.takeUntil(now)) if (isDue(delivery, now)) this.makeReady(delivery);
    // Those that are out come first: they need no room, and give it back in the end.
    const expired = this.claimableOf(this.expired, now, most);
    return [...expired, ...this.claimableOf(this.ready, now, Math.min(room, most - expired.length))];
  }

  private claimableOf(all: Set<Delivery>, now: number, most: number): Delivery[] {
    const found: Delivery[] = [];
    for (const delivery of all) {
      if (found.length >= most) break;
      if (this.isClaimable(delivery, now)) found.push(delivery);
      else {
        // Whatever blocks it will make it ready again; its time may only have seemed to have come.
        all.delete(delivery);
        if (delivery.at > now) this.due.push(delivery.at, delivery);
      }
    }
    return found;
  }

  /** Returns when the next delivery is due again, in milliseconds since 1970; undefined without one. */
  get nextDue(): number | undefined {
    if (this.ready.size + this.expired.size > 0) return 0;
    // Most events are acknowledged long before their lease ends.
    for (let { top } = this.due; top && !isCurrent(top); { top } = this.due) this.due.pop();
    return this.due.top?.at;
  }

  /** Returns when the event was handed out that has been out for the longest time, in milliseconds since 1970. */
  get oldestOut(): number | undefined {
    let oldest: number | undefined;
    for (const delivery of this.all('out')) oldest = Math.min(oldest ?? Infinity, delivery.since);
    return oldest;
  }

  /** Yields the deliveries with this status, by partition and offset. */
  *all(status: Delivery['status']): Generator<Delivery> {
    for (const { deliveries } of this.partitions.values())
      for (const delivery of deliveries.values()) if (delivery.status === status) yield delivery;
  }

  /** Returns how many later events of its entity wait for a delivery. */
  behind(delivery: Delivery): number {
    if (delivery.entity === null || !this.parkedBlocks) return 0;
    return this.entities.get(entityKey(delivery))?.after(delivery) ?? 0;
  }

  find([source, partition, offset]: EventRef): Delivery | undefined {
    return this.partitions.get(partitionKey(source, partition))?.deliveries.get(offset);
  }

  /**
   * Returns the whole state, in chunks of about so many bytes.
   * @param upTo offset up to which all commands of the subscription were applied
   */
  snapshot(id: string, upTo: number, chunkBytes: number): SnapshotCommand[] {
    const partitions = [...this.partitions.values()];
    const positions = partitions.map(({ source, partition, next }): EventRef => [source, partition, next]);
    const chunks: DeliveryRow[][] = [[]];
    let bytes = 0;
    for (const { deliveries } of partitions) {
      for (const row of [...deliveries.values()].map(rowOf)) {
        bytes += Buffer.byteLength(JSON.stringify(row));
        if (bytes > chunkBytes) {
          bytes = 0;
          chunks.push([]);
        }
        chunks.at(-1)!.push(row);
      }
    }
    return chunks.map((deliveries, chunk) => ({
      type: 'snapshot',
      ...{ id, chunk, chunks: chunks.length, upTo, parkedBlocks: this.parkedBlocks },
      positions: chunk === 0 ? positions : [],
      deliveries,
    }));
  }

  /** Replaces the state by that of all chunks of a snapshot. */
  restore(chunks: readonly SnapshotCommand[]): void {
    this.clear();
    for (const { parkedBlocks, positions, deliveries } of chunks) {
      this.parkedBlocks = parkedBlocks;
      for (const [source, partition, next] of positions) this.partitionOf(source, partition, next);
      for (const [source, partition, offset, entity, status, at, claim, attempt, since, reason] of deliveries)
        this.add({ source, partition, offset, entity, status, at, claim, attempt, since, reason });
    }
    for (const delivery of this.all('waiting')) this.makeReady(delivery);
  }

  private claim(claim: ClaimCommand, { offset, timestamp }: CommandPosition): GrantedDelivery[] {
    const granted: GrantedDelivery[] = [];
    const grant = (delivery: Delivery) => {
      if (delivery.status === 'out') addTo(this.tally, 'expired');
      addTo(this.tally, 'handed_out');
      this.change(delivery, 'out', timestamp + claim.lease);
      Object.assign(delivery, { claim: offset, attempt: delivery.attempt + 1, since: timestamp });
      granted.push({ ...delivery });
    };
    const hasRoom = (delivery: Delivery) => delivery.status === 'out' || this.counts.out < claim.most;
    if (this.parkedBlocks !== claim.parkedBlocks) {
      this.parkedBlocks = claim.parkedBlocks;
      for (const status of ['waiting', 'retry', 'out'] as const)
        for (const delivery of this.all(status))
          if (status === 'waiting' || isDue(delivery, timestamp)) this.makeReady(delivery);
    }
    for (const ref of claim.park) {
      const delivery = this.find(ref);
      if (delivery?.status !== 'out' || delivery.at > timestamp) continue;
      delivery.reason = `It was handed out ${delivery.attempt} times, and no worker acknowledged it in time.`;
      addTo(this.tally, 'expired');
      addTo(this.tally, 'parked');
      this.change(delivery, 'parked', timestamp);
    }
    for (const ref of claim.again) {
      const delivery = this.find(ref);
      if (delivery && this.isClaimable(delivery, timestamp) && hasRoom(delivery)) grant(delivery);
    }
    for (const range of claim.fresh)
      for (const delivery of this.takeUp(range, timestamp))
        if (hasRoom(delivery) && this.isClaimable(delivery, timestamp)) grant(delivery);
        else if (!this.isBlocked(delivery, timestamp)) this.makeReady(delivery);
    return granted;
  }

  /** Takes up the events of a range in turn, if the state still is where the range begins. */
  private *takeUp({ source, partition, from, next, events }: FreshRange, now: number): Generator<Delivery> {
    const known = this.partitionOf(source, partition, from);
    if (known.next !== from) return;
    known.next = next;
    for (const [offset, entity] of events)
      yield this.add({
        ...{ source, partition, offset, entity, status: 'waiting', at: now },
        ...{ claim: -1, attempt: 0, since: 0, reason: '' },
      });
  }

  private settle(
    { ack, nack, extend, release, releaseDelay, lease }: SettleCommand,
    now: number,
  ): SettleResult[] {
    const acknowledged = ack.map((ref) => {
      const [source, partition, offset] = ref;
      const delivery = this.find([source, partition, offset]);
      // An acknowledgement that is repeated, because its answer was lost, is done.
      if (!delivery) return offset < (this.nextOf(source, partition) ?? 0) ? 'done' : 'unknown';
      if (!isHeldBy(delivery, ref)) return 'expired';
      addTo(this.tally, 'acknowledged');
      this.remove(delivery);
      return 'done';
    });
    const rejected = nack.map(({ handOut, delayMs, reason }) => {
      const delivery = this.heldBy(handOut);
      if (!delivery) return 'expired';
      delivery.reason = reason;
      addTo(this.tally, 'rejected');
      if (delayMs === null) addTo(this.tally, 'parked');
      if (delayMs === null) this.change(delivery, 'parked', now);
      else this.change(delivery, 'retry', now + delayMs);
      return 'done';
    });
    const prolonged = extend.map((handOut) => {
      const delivery = this.heldBy(handOut);
      if (!delivery) return 'expired';
      this.change(delivery, 'out', Math.min(now + lease, delivery.since + longestLease));
      return 'done';
    });
    for (const handOut of release) {
      const delivery = this.heldBy(handOut);
      if (!delivery) continue;
      delivery.attempt--;
      addTo(this.tally, 'released');
      this.change(delivery, 'retry', now + releaseDelay);
    }
    return [...acknowledged, ...rejected, ...prolonged];
  }

  private changeParked({ action, events }: ParkedCommand, now: number): number {
    const named = events === 'all' ? [...this.all('parked')] : events.map((ref) => this.find(ref));
    const parked = new Set(named.filter((one) => one?.status === 'parked'));
    for (const delivery of parked as Set<Delivery>) {
      delivery.attempt = 0;
      addTo(this.tally, action === 'discard' ? 'discarded' : 'replayed');
      if (action === 'discard') this.remove(delivery);
      else this.change(delivery, 'retry', now);
    }
    return parked.size;
  }

  private seek({ positions }: SeekCommand): void {
    this.clear();
    for (const [source, partition, next] of positions) this.partitionOf(source, partition, next);
  }

  private clear(): void {
    for (const map of [this.partitions, this.entities, this.ready, this.expired]) map.clear();
    this.due.clear();
    Object.assign(this.counts, { out: 0, waiting: 0, retry: 0, parked: 0 });
  }

  private partitionOf(source: string, partition: number, next: number): PartitionState {
    const key = partitionKey(source, partition);
    const known = this.partitions.get(key) ?? { source, partition, next, deliveries: new Map() };
    this.partitions.set(key, known);
    return known;
  }

  private add(delivery: Delivery): Delivery {
    const { source, partition, offset, entity, status } = delivery;
    this.partitionOf(source, partition, 0).deliveries.set(offset, delivery);
    this.counts[status]++;
    if (status === 'out' || status === 'retry') this.pushDue(delivery);
    if (entity !== null) {
      const key = entityKey(delivery);
      const others = this.entities.get(key) ?? new EntityDeliveries();
      this.entities.set(key, others);
      others.add(delivery);
    }
    return delivery;
  }

  private change(delivery: Delivery, status: Delivery['status'], at: number): void {
    this.counts[delivery.status]--;
    this.counts[status]++;
    Object.assign(delivery, { status, at });
    this.unready(delivery);
    if (status === 'out' || status === 'retry') this.pushDue(delivery);
    this.free(delivery);
  }

  private makeReady(delivery: Delivery): void {
    (delivery.status === 'out' ? this.expired : this.ready).add(delivery);
  }

  private unready(delivery: Delivery): void {
    this.ready.delete(delivery);
    this.expired.delete(delivery);
  }

  private pushDue(delivery: Delivery): void {
    this.due.push(delivery.at, delivery);
    if (this.due.size <= 2 * (this.counts.out + this.counts.retry) + 1_000) return;
    this.due.clear();
    for (const status of ['out', 'retry'] as const)
      for (const current of this.all(status)) this.due.push(current.at, current);
  }

  private remove(delivery: Delivery): void {
    this.counts[delivery.status]--;
    this.unready(delivery);
    // An entry of the heap is outdated then.
    delivery.at = NaN;
    this.partitions
      .get(partitionKey(delivery.source, delivery.partition))
      ?.deliveries.delete(delivery.offset);
    const others = this.entities.get(entityKey(delivery));
    if (delivery.entity === null || !others) return;
    others.remove(delivery);
    if (others.isEmpty) this.entities.delete(entityKey(delivery));
    else this.free(delivery);
  }

  /** Marks the event of the entity that is next, after another one has changed. */
  private free(changed: Delivery): void {
    if (changed.entity === null) return;
    const next = this.entities.get(entityKey(changed))?.first(this.parkedBlocks);
    if (next) this.makeReady(next);
  }

  private heldBy(ref: HandOutRef): Delivery | undefined {
    const [source, partition, offset] = ref;
    const delivery = this.find([source, partition, offset]);
    return delivery && isHeldBy(delivery, ref) ? delivery : undefined;
  }

  private isClaimable(delivery: Delivery, now: number): boolean {
    return (delivery.status === 'waiting' || isDue(delivery, now)) && !this.isBlocked(delivery, now);
  }

  private isBlocked(delivery: Delivery, now: number): boolean {
    if (delivery.entity === null) return false;
    const others = this.entities.get(entityKey(delivery));
    return others?.delays(delivery, { now, parkedBlocks: this.parkedBlocks }) ?? false;
  }
}

const nothing: Omit<CommandOutcome, 'tally'> = { granted: [], settled: [], changed: 0 };

/** Whether an entry of the heap still says when its delivery is due. A delivery that is done has no status that is due. */
function isCurrent({ at, entry }: { at: number; entry: Delivery }): boolean {
  return entry.at === at && (entry.status === 'out' || entry.status === 'retry');
}

function isDue({ status, at }: Delivery, now: number): boolean {
  return (status === 'out' || status === 'retry') && at <= now;
}

function isHeldBy({ status, claim }: Delivery, [, , , of]: HandOutRef): boolean {
  return status === 'out' && claim === of;
}

function partitionKey(source: string, partition: number): string {
  return `${source}/${partition}`;
}

function entityKey({ source, partition, entity }: Delivery): string {
  return `${source}/${partition}/${entity}`;
}

function rowOf(delivery: Delivery): DeliveryRow {
  const { entity, status, at, claim, attempt, since, reason } = delivery;
  return [...refOf(delivery), entity, status, at, claim, attempt, since, reason];
}
