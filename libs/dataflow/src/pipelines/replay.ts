import { jsonValue, uuidPattern } from '#event';
import type { Origin } from '../flow/flow.js';

/**
 * The value of a record in a run's replay topic: an event that was a dead letter, and goes on where it stopped. A JSON array:
 *
 *     [id, at, version, stream, partition, offset, path, event]
 *
 * `stream` to `path` are the event's origin.
 */
type ReplayValue = [
  id: string,
  at: string,
  version: number,
  stream: string,
  partition: number,
  offset: number,
  path: string,
  event: string,
];

/** What is to be replayed. */
export interface Replay {
  /** A UUID that is the dead letter's: whoever is told twice does it once. */
  readonly id: string;
  /** Pointer of the operator. */
  readonly at: string;
  /** Of the definition that was asked whether it can go on there: an earlier one shall not try. */
  readonly version: number;
  readonly origin: Origin;
  /** The event's record: see `recordFlow`. */
  readonly event: string;
}

export function replayValue({ id, at, version, origin, event }: Replay): string {
  const { stream, partition, offset, path } = origin;
  return JSON.stringify([id, at, version, stream, partition, offset, path, event] satisfies ReplayValue);
}

/** @param replay what the origin has of it @returns undefined when it is nothing that `replayValue` has made */
export function readReplay(value: Buffer | null, replay: number): Replay | undefined {
  const read = jsonValue(String(value));
  if (!isReplay(read)) return undefined;
  const [id, at, version, stream, partition, offset, path, event] = read;
  return { id, at, version, event, origin: { stream, partition, offset, path, replay } };
}

const types = ['string', 'string', 'number', 'string', 'number', 'number', 'string', 'string'];

function isReplay(read: unknown): read is ReplayValue {
  if (!Array.isArray(read) || read.length !== types.length) return false;
  return read.every((part, i) => typeof part === types[i]) && uuidPattern.test(String(read[0]));
}
