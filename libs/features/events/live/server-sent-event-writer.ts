import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemError } from '#api';
import { clientTooSlow } from './live-problems.js';

/** Limits of the unsent bytes of one live stream's HTTP response. */
export interface UnsentBytesLimits {
  /** Limit of bytes that the client has not received. While it is exceeded, `room` does not resolve. */
  bytes: number;
  /** Milliseconds for which the unsent bytes may exceed the limit before `room` rejects. */
  slowMs: number;
}

type Socket = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'writableLength' | 'writableFinished'>;

/** Milliseconds between two checks whether a slow client has received enough. */
const pollMs = 50;
/**
 * After the last message: milliseconds in which the client must receive some of the remaining bytes, or is
 * disconnected. Up to `lastPeriods` such periods follow each other.
 */
const lastMs = 5_000;
/** Maximum number of such periods: unsent bytes are kept in memory for a limited time. */
const lastPeriods = 4;

/**
 * Writes the Server-Sent Events of one live stream to its HTTP response. A caller that awaits `room` before each
 * `write` uses memory for at most `bytes` and one piece.
 */
export class ServerSentEventWriter {
  constructor(
    private readonly response: Socket,
    private readonly options: UnsentBytesLimits,
  ) {}

  get isFull(): boolean {
    return this.response.writableLength > this.options.bytes;
  }

  write(piece: string | Buffer): void {
    this.response.write(piece);
  }

  /**
   * Resolves when the client has received so much that the next piece may be written.
   * @throws ProblemError `overloaded` when the client needs longer than `slowMs`, and the signal's reason
   */
  async room(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + this.options.slowMs;
    while (this.isFull) {
      if (performance.now() > deadline) throw clientTooSlow();
      await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    signal.throwIfAborted();
  }

  /**
   * Sends the last message and ends the response. Disconnects a client that receives nothing for 5 seconds, or has not
   * received everything after 20 seconds.
   */
  end(message: string): void {
    this.response.write(message);
    this.response.end();
    this.cutWhenStill(lastPeriods);
  }

  private cutWhenStill(periods: number): void {
    const { response } = this;
    const left = response.writableLength;
    setTimeout(() => {
      if (response.writableFinished) return;
      if (periods > 1 && response.writableLength < left) this.cutWhenStill(periods - 1);
      else response.destroy();
    }, lastMs).unref();
  }
}

// The texts of Server-Sent Events (HTML Living Standard, 9.2). Their parts contain no line breaks.

/** Returns the message of an event, whose JSON is on one line. Without an id, a client resumes from an earlier one. */
export function eventMessage(json: string, id: string | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: event\ndata: ${json}\n\n`;
}

/** Returns the first text of a stream: the client resumes from this position. It has no data, so it is no message. */
export function startMessage(position: string): string {
  return `retry: 1000\nid: ${position}\n\n`;
}

/** Returns the id of a position up to which everything has been sent. It has no data, so it is no message. */
export function positionMessage(position: string): string {
  return `id: ${position}\n\n`;
}

/** Returns a heartbeat. Its position includes events that did not match, so a reconnect does not read them again. */
export function heartBeat(position: string): string {
  return `: heart-beat\nid: ${position}\n\n`;
}

/**
 * Returns the message that gives the reason why the stream ends.
 * @param retryMs milliseconds after which the client connects again
 */
export function errorMessage(
  problem: ProblemError,
  { requestId, retryMs }: { requestId: string; retryMs: number },
): string {
  const document = JSON.stringify({ ...problem.toDocument(), request_id: requestId });
  return `retry: ${Math.round(retryMs)}\nevent: error\ndata: ${document}\n\n`;
}
