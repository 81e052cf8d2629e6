export interface ConsistencyLimits {
  /** Milliseconds until a position that the group has not reached is answered 504. */
  timeoutMs: number;
  /** Milliseconds until a stream that is unknown to this process is answered 404. */
  unknownStreamMs: number;
  pollMs: number;
  /** Limit of positions that all requests together wait for. */
  maxWaiters: number;
}
