/** Timeouts and limits of requests that wait for positions (`wait_for`). */
export interface ConsistencyLimits {
  /** Milliseconds until a request is answered 504 because the consumer group has not committed past its position. */
  timeoutMs: number;
  /** Milliseconds until a stream that is unknown to this process is answered 404. */
  unknownStreamMs: number;
  pollMs: number;
  /** Limit of positions that all requests together wait for. */
  maxWaiters: number;
}

/** Injection token of `ConsistencyLimits` that differ from the defaults. */
export const CONSISTENCY_BOUNDS = Symbol('ConsistencyLimits');
