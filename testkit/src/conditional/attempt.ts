/** The content of a request for one event. */
export interface AttemptedWrite {
  event_id: string;
  stream: string;
  entity_id: string;
  /** The expected version; null for an unconditional event. */
  expected: number | null;
  /** `hashOf` of the event that was sent. */
  hash: string;
}

/**
 * The answer for one event. `accepted` 201; `refused` 412; `unknown` may have taken place or not, also later (504, other
 * 5xx, 429, time-out, reset); `failed` any other answer, which the test does not expect.
 */
export type AttemptAnswer =
  | { outcome: 'accepted'; version: number | null; partition: number; offset: number }
  | { outcome: 'refused'; current: number }
  | { outcome: 'unknown' | 'failed'; reason: string };

/** One request for one event. A batch is one attempt for each of its events. */
export type Attempt = AttemptedWrite &
  AttemptAnswer & {
    /** Milliseconds of one monotonic clock: before the request was sent, and after its answer was received. */
    invoked: number;
    returned: number;
  };
