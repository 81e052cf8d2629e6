import type { DeliveryStatus, EventRef } from './subscription-command.js';

/** An event that the subscription has taken up and that is not done. */
export interface Delivery {
  readonly source: string;
  readonly partition: number;
  readonly offset: number;
  /** The entity whose events follow each other; null if nothing orders the event. */
  readonly entity: string | null;
  status: DeliveryStatus;
  /** Milliseconds since 1970: when it is due again (`out`, `retry`), or since when it has its status. */
  at: number;
  /** Offset of the claim that handed it out last; -1 before. */
  claim: number;
  /** Number of times that it was handed out since it was taken up or replayed. */
  attempt: number;
  /** When it was handed out last, in milliseconds since 1970. */
  since: number;
  /** Why it was refused last; empty if it was not. */
  reason: string;
}

export function refOf({
  source,
  partition,
  offset,
}: Pick<Delivery, 'source' | 'partition' | 'offset'>): EventRef {
  return [source, partition, offset];
}

/** Deliveries of one entity in one partition, in the order of their offsets. */
export class EntityDeliveries {
  private readonly list: Delivery[] = [];

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  add(delivery: Delivery): void {
    let at = this.list.length;
    while (at > 0 && this.list[at - 1]!.offset > delivery.offset) at--;
    this.list.splice(at, 0, delivery);
  }

  remove(delivery: Delivery): void {
    const at = this.list.indexOf(delivery);
    if (at >= 0) this.list.splice(at, 1);
  }

  /** Returns whether another event of the entity must be done, or come back, before this one is handed out. */
  delays(delivery: Delivery, { now, parkedBlocks }: { now: number; parkedBlocks: boolean }): boolean {
    for (const other of this.list) {
      if (other === delivery) continue;
      if (other.offset > delivery.offset) {
        // Only an event that was replayed after later ones finds one of them out.
        if (other.status === 'out' && other.at > now) return true;
      } else if (other.status !== 'parked' || parkedBlocks) return true;
    }
    return false;
  }

  /** Returns the number of events after this one. */
  after(delivery: Delivery): number {
    return this.list.length - 1 - this.list.indexOf(delivery);
  }

  /** Returns the first event that is not passed over. */
  first(parkedBlocks: boolean): Delivery | undefined {
    return this.list.find(({ status }) => parkedBlocks || status !== 'parked');
  }
}
