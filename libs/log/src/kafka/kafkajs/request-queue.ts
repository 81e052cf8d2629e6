interface InFlightRequest {
  sentAt: number;
  requestTimeout: number;
}

/** The parts of kafkajs/src/network/requestQueue/index.js that are used here. */
export interface RequestQueue {
  inflight: Map<number, InFlightRequest>;
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  requestTimeoutIntervalId?: NodeJS.Timeout;
  requestTimeout: number;
  /** Set by `patchReconnect`. */
  connection?: { socket?: { destroy(error: Error): void; emit(event: string): void } };
  isConnected(): boolean;
  destroy(): void;
  rejectAll(error: Error): void;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
}

/** What a socket emits again and again while an answer on it is slow. */
export const slowAnswer = 'slow-answer';

const timeoutCheckMs = 500;
/** Longer than any fetch waits for records. */
const slowMs = 2_000;
const pendingCheckMs = 10;

/** A connection whose broker has not answered in time. kafkajs turns it into a retriable connection error. */
class ConnectionHungError extends Error {
  override readonly name = 'ConnectionHungError';
}

/**
 * Two faults of kafkajs' request queues, one to each connection:
 *
 * - The timer for throttled requests runs again each millisecond for ever, even when nothing waits (issues 1751,
 *   1768). Here it is set only while requests wait.
 * - A request that is not answered in time is given up, but its connection is used again, so that a connection that
 *   hangs is never replaced. Here it is closed, as Kafka's own clients do.
 *
 * And a socket says when an answer on it is slow.
 */
export function patchRequestQueue({ prototype: queue }: { prototype: RequestQueue }): void {
  queue.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
    const wait = Math.max(this.throttledUntil - Date.now(), pendingCheckMs);
    this.throttleCheckTimeoutId = setTimeout(() => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    }, wait);
  };

  queue.scheduleRequestTimeoutCheck = function (this: RequestQueue): void {
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(() => {
      if (!this.isConnected()) return this.destroy();
      const { connection } = this;
      if (isWaiting(this, slowMs)) connection?.socket?.emit(slowAnswer);
      if (isWaiting(this)) connection?.socket?.destroy(new ConnectionHungError('no answer in time'));
    }, timeoutCheckMs);
  };
}

/** Whether a request has waited for so long; without a time: for as long as it may. */
function isWaiting(queue: RequestQueue, forMs?: number): boolean {
  const now = Date.now();
  for (const request of queue.inflight.values()) {
    if (now - request.sentAt > (forMs ?? request.requestTimeout)) return true;
  }
  return false;
}
