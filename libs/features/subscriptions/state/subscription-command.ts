/** An event of a source stream by its position in the log: stream id, partition, and offset. */
export type EventRef = readonly [source: string, partition: number, offset: number];

/** One hand-out of an event: the event, and the offset of the claim in the topic `subscriptions`. */
export type HandOutRef = readonly [...event: EventRef, claim: number];

/** Events of one partition that a claim takes up for the first time: those that the subscription selects. */
export interface FreshRange {
  source: string;
  partition: number;
  /** The first offset of the range. The claim has no effect on the partition if the state is not there any more. */
  from: number;
  /** The offset after the range. */
  next: number;
  /** Offsets of the selected events, each with the entity that orders it; null if nothing does. */
  events: readonly (readonly [offset: number, entity: string | null])[];
}

/** Hands out events: those that are due again, and fresh ones. */
export interface ClaimCommand {
  type: 'claim';
  /** Random id, by which the process that wrote the command knows it again. */
  id: string;
  /** Milliseconds until an event that is not acknowledged may be handed out again. */
  lease: number;
  /** Limit of events that are out at the same time. */
  most: number;
  /** Whether the later events of an entity wait while one is parked. */
  parkedBlocks: boolean;
  /** Events that were not acknowledged in time and have no attempt left. */
  park: readonly EventRef[];
  /** Events that are due again. */
  again: readonly EventRef[];
  fresh: readonly FreshRange[];
}

/** What becomes of an event that a worker refuses. */
export interface RefusalOutcome {
  handOut: HandOutRef;
  /** Milliseconds until it is due again; null if it is parked. */
  delayMs: number | null;
  reason: string;
}

/** Acknowledges, refuses and prolongs hand-outs. */
export interface SettleCommand {
  type: 'settle';
  id: string;
  ack: readonly HandOutRef[];
  nack: readonly RefusalOutcome[];
  extend: readonly HandOutRef[];
  /** Hand-outs that have reached no worker: they take no attempt. */
  release: readonly HandOutRef[];
  /** Milliseconds until those are due again. */
  releaseDelay: number;
  /** Milliseconds by which `extend` prolongs. */
  lease: number;
}

/** Replays or discards parked events: the named ones, or all. */
export interface ParkedCommand {
  type: 'parked';
  id: string;
  action: 'replay' | 'discard';
  events: readonly EventRef[] | 'all';
}

/** Moves the subscription to these positions. Everything that is out, waits or is parked is forgotten. */
export interface SeekCommand {
  type: 'seek';
  id: string;
  positions: readonly EventRef[];
}

/** The state of a delivery in a snapshot; see `Delivery`. */
export type DeliveryRow = readonly [
  ...event: EventRef,
  entity: string | null,
  status: DeliveryStatus,
  at: number,
  claim: number,
  attempt: number,
  since: number,
  reason: string,
];

/** One chunk of a snapshot: the state after all commands of the subscription up to the offset `upTo`. */
export interface SnapshotCommand {
  type: 'snapshot';
  id: string;
  upTo: number;
  chunk: number;
  chunks: number;
  parkedBlocks: boolean;
  positions: readonly EventRef[];
  deliveries: readonly DeliveryRow[];
}

/** Follows the snapshots of all subscriptions that had a state: the records up to `upTo` are superfluous. */
export interface SnapshotsEnd {
  type: 'snapshots';
  id: string;
  upTo: number;
}

/**
 * - `waiting`: behind another event of its entity, or nobody has asked for it yet
 * - `out`: handed out, until its lease ends
 * - `retry`: rejected, until its delay ends
 * - `parked`: no attempt is left, or a worker has parked it
 */
export type DeliveryStatus = 'waiting' | 'out' | 'retry' | 'parked';

/** A command that changes the state of a subscription. */
export type SubscriptionCommand = ClaimCommand | SettleCommand | ParkedCommand | SeekCommand;

/** A record of the topic `subscriptions`; its key is the id of the subscription's run. */
export type SubscriptionRecord = SubscriptionCommand | SnapshotCommand | SnapshotsEnd;

/** What became of a token: `expired` if it no longer holds its event, `unknown` if the event was never handed out. */
export type SettleResult = 'done' | 'expired' | 'unknown';

const types: ReadonlySet<string> = new Set(['claim', 'settle', 'parked', 'seek', 'snapshot', 'snapshots']);

/** Reads a record that `JSON.stringify` wrote. Returns undefined for a record of another form. */
export function readSubscriptionRecord(value: Buffer): SubscriptionRecord | undefined {
  try {
    const record = JSON.parse(value.toString()) as SubscriptionRecord;
    return types.has(record.type) ? record : undefined;
  } catch {
    return undefined;
  }
}
