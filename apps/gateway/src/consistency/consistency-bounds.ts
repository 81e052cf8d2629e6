export interface ConsistencyBounds {
  /** Milliseconds until a position that is not there is answered 504. */
  timeoutMs: number;
  /** Milliseconds until a stream that this process has not heard of is answered 404. */
  unknownStreamMs: number;
  pollMs: number;
  /** Positions waited for at once, over all requests. */
  maxWaiters: number;
}
