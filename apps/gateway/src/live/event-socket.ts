import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientTooSlow } from './live-problems.js';

export interface EventSocketOptions {
  /** Limit of unsent bytes; while the client has more to receive, nothing is written. */
  bytes: number;
  /** Milliseconds that a client may remain over the limit. */
  slowMs: number;
}

type Socket = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'writableLength' | 'writableFinished'>;

/** Milliseconds between two checks whether a slow client has received enough. */
const lookMs = 50;
/**
 * Milliseconds in which a client must receive some of the remaining bytes. Such periods are repeated until it has the
 * last message.
 */
const lastMs = 5_000;
/** Limit of periods of `lastMs`. It bounds the time for which unsent bytes are kept in memory. */
const lastLooks = 4;

/** Writes to one client. Its memory for unsent bytes is limited to `bytes` and one more piece. */
export class EventSocket {
  constructor(
    private readonly response: Socket,
    private readonly options: EventSocketOptions,
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

  /** Sends the last message. Waits until the client has received it, but only while the client makes progress. */
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
