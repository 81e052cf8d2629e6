import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProblemError } from '#api';
import { clientTooSlow } from './live-problems.js';

/** Limits of the unsent bytes of one live stream's HTTP response. */
export interface UnsentBytesLimits {
  /**
   * Limit of bytes that were written and that the client has not received. While it is exceeded, `room` does not
   * resolve.
   */
  bytes: number;
  /** Milliseconds for which the unsent bytes may exceed the limit before `room` rejects. */
  slowMs: number;
}

type Socket = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'writableLength' | 'writableFinished'>;

/** Milliseconds between two checks whether a slow client has received enough. */
const lookMs = 50;
/**
 * After the last message: milliseconds in which the client must receive some of the remaining bytes, or is
 * disconnected. Up to `lastLooks` such periods follow each other.
 */
const lastMs = 5_000;
/**
 * Maximum number of periods of `lastMs` in which the client may receive the remaining bytes. After these periods it is
 * disconnected, so unsent bytes are kept in memory for a limited time.
 */
const lastLooks = 4;

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
      await sleep(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
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
    this.cutWhenStill(lastLooks);
  }

  private cutWhenStill(looks: number): void {
    const { response } = this;
    const left = response.writableLength;
    setTimeout(() => {
      if (response.writableFinished) return;
      if (looks > 1 && response.writableLength < left) this.cutWhenStill(looks - 1);
      else response.destroy();
    }, lastMs).unref();
  }
}

/**
 * The texts of Server-Sent Events (HTML Living Standard, 9.2). The parts of which a Server-Sent Event is composed
 * contain no line breaks.
 */

/**
 * Returns the Server-Sent Event for one event, whose JSON is on one line. If `id` is undefined, a client that
 * reconnects resumes from the id of an earlier message.
 */
export function eventMessage(json: string, id: string | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: event\ndata: ${json}\n\n`;
}

/**
 * Returns the first text of a stream: the client resumes from this position even if it has received no event. The text
 * has no data, so the client sees no message.
 */
export function startMessage(position: string): string {
  return `retry: 1000\nid: ${position}\n\n`;
}

/**
 * Returns the id of a position up to which everything has been sent. This Server-Sent Event has no data, so the client
 * sees no message.
 */
export function positionMessage(position: string): string {
  return `id: ${position}\n\n`;
}

/**
 * Returns a heartbeat. The position in a heartbeat includes events that did not match the filters, so these are not
 * read again after a reconnect.
 */
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
