import { jsonValue } from '#json';
import { uuidPattern } from '#event';
import type { Provenance } from './flow/pipeline.js';

/** Value of `stage` in the checkpoints of a job's replay topic, which no keyed stage has. */
export const replayStage = 'replay';

/**
 * Stage under which a processor stores since when it repeats deliveries to a webhook: `{"since":…,"answer":"…"}` in the
 * member `state` of its only progress, or empty after the receiver has accepted a delivery.
 */
export const deliveryStage = 'deliveries';

/** The value of a replay record, as a JSON array. The members from `stream` to `path` are the event's provenance. */
type ReplayRecordValue = [
  id: string,
  at: string,
  version: number,
  stream: string,
  partition: number,
  offset: number,
  path: string,
  event: string,
  expected?: string,
];

/** A record of a job's replay topic: an event that was a dead letter and continues at the operator where it failed. */
export interface ReplayedDeadLetter {
  /** A UUID, the same in each replay record of the dead letter, so that it is replayed once. */
  readonly id: string;
  /** JSON pointer to the operator at which the event continues: the one where it failed. */
  readonly at: string;
  /** Version of the definition for which `at` was checked. A job with an older one must not replay the event. */
  readonly version: number;
  readonly origin: Provenance;
  /** The event as the value of a record, as `eventFromRecord` reads it. */
  readonly event: string;
}

export function replayValue({ id, at, version, origin, event }: ReplayedDeadLetter): string {
  const { stream, partition, offset, path, expected } = origin;
  return JSON.stringify([
    id,
    at,
    version,
    stream,
    partition,
    offset,
    path,
    event,
    ...((expected === undefined ? [] : [expected]) as [string?]),
  ] satisfies ReplayRecordValue);
}

/**
 * Reads the value of a replay record; returns undefined for any other record.
 * @param replay its offset plus 1, for the provenance
 */
export function readReplay(value: Buffer | null, replay: number): ReplayedDeadLetter | undefined {
  const read = jsonValue(String(value));
  if (!isReplay(read)) return undefined;
  const [id, at, version, stream, partition, offset, path, event, expected] = read;
  const origin = { stream, partition, offset, path, replay, ...(expected !== undefined && { expected }) };
  return { id, at, version, event, origin };
}

const types = ['string', 'string', 'number', 'string', 'number', 'number', 'string', 'string', 'string'];

function isReplay(read: unknown): read is ReplayRecordValue {
  if (!Array.isArray(read) || read.length < types.length - 1 || read.length > types.length) return false;
  return read.every((part, i) => typeof part === types[i]) && uuidPattern.test(String(read[0]));
}
