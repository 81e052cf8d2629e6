/** One event of a request that writes conditional events: its identity, and the version that the client expects. */
export interface AttemptRequest {
  event_id: string;
  stream: string;
  entity_id: string;
  /** The version of the entity that the client expects; null for an unconditional event. */
  expected: number | null;
  /** Hash (`hashOf`) of the event that was sent. */
  hash: string;
  /** For an event of an atomic batch: the event ids of the batch, in order. The condition is that of the first event. */
  group?: readonly string[] | undefined;
}

/**
 * The server's answer for one event. The answer `accepted` is status 201, and `refused` is status 412. After the answer
 * `unknown` (504, other 5xx, 429, time-out, reset), the event may have been stored or may still be stored. The answer
 * `failed` is any other status, which the test does not expect.
 */
export type AttemptAnswer =
  | { outcome: 'accepted'; version: number | null; partition: number; offset: number }
  | { outcome: 'refused'; current: number }
  | { outcome: 'unknown' | 'failed'; reason: string };

/** Whether the event of an attempt has a condition of its own: it is not a later event of an atomic batch. */
export function hasOwnCondition({ event_id, group }: AttemptRequest): boolean {
  return group === undefined || group[0] === event_id;
}

/** One request for one event, with its answer. A batch counts as one attempt for each of its events. */
export type Attempt = AttemptRequest &
  AttemptAnswer & {
    /**
     * Time before the request was sent, in milliseconds of the monotonic clock that also measures `returned`, the time
     * after its answer.
     */
    invoked: number;
    returned: number;
  };
