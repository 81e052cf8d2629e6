interface InFlightRequest {
  sentAt: number;
  requestTimeout: number;
}

/** The parts of kafkajs/src/network/requestQueue/index.js that this patch uses. */
export interface KafkajsRequestQueue {
  inflight: Map<number, InFlightRequest>;
  pending: unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  requestTimeoutIntervalId?: NodeJS.Timeout;
  requestTimeout: number;
  /** The connection that uses the queue; set by `patchReconnect`. */
  connection?: { socket?: { destroy(error: Error): void; emit(event: string): void } };
  isConnected(): boolean;
  destroy(): void;
  rejectAll(error: Error): void;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
}

/** Event that a socket emits repeatedly while a response on it is slow. */
export const slowResponse = 'slow-answer';

const timeoutCheckMs = 500;
/** Milliseconds after which a response is slow: longer than any fetch waits for records. */
const slowMs = 2_000;
const pendingCheckMs = 10;

/** The broker has not responded in time. kafkajs turns it into a retriable connection error. */
class ConnectionHungError extends Error {
  override readonly name = 'ConnectionHungError';
}

/**
 * Patches two faults of the request queue that kafkajs has for each connection:
 *
 * - The timer for throttled requests fires every millisecond for ever, even if no request waits (issues 1751, 1768).
 *   The patch sets the timer only while requests wait.
 * - A request that is not answered in time is given up, but its connection is used again, so a hung connection is never
 *   replaced. The patch closes the connection, as Kafka's own clients do.
 *
 * In addition, a socket emits the event `slow-answer` twice a second while one of its requests has waited for more than
 * two seconds.
 */
export function patchRequestQueue({ prototype: queue }: { prototype: KafkajsRequestQueue }): void {
  queue.scheduleCheckPendingRequests = function (this: KafkajsRequestQueue): void {
    if (this.throttleCheckTimeoutId || this.pending.length === 0) return;
    const wait = Math.max(this.throttledUntil - Date.now(), pendingCheckMs);
    this.throttleCheckTimeoutId = setTimeout(() => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    }, wait);
  };

  queue.scheduleRequestTimeoutCheck = function (this: KafkajsRequestQueue): void {
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(() => {
      if (!this.isConnected()) return this.destroy();
      const { connection } = this;
      if (isWaiting(this, slowMs)) connection?.socket?.emit(slowResponse);
      if (isWaiting(this)) connection?.socket?.destroy(new ConnectionHungError('no answer in time'));
    }, timeoutCheckMs);
  };
}

/** Whether a request has waited for longer than `forMs`, or without `forMs` for longer than its own time-out. */
function isWaiting(queue: KafkajsRequestQueue, forMs?: number): boolean {
  const now = Date.now();
  for (const request of queue.inflight.values()) {
    if (now - request.sentAt > (forMs ?? request.requestTimeout)) return true;
  }
  return false;
}
