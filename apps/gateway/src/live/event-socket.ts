import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { tooSlow } from './live-problems.js';

export interface EventSocketOptions {
  /** Bytes that the client has not taken; past that nothing is written. */
  bytes: number;
  /** Milliseconds that it may stay past that. */
  slowMs: number;
}

type Socket = Pick<ServerResponse, 'write' | 'end' | 'destroy' | 'writableLength' | 'writableFinished'>;

/** Milliseconds between two looks at a client that does not take what it was sent. */
const lookMs = 50;
/** Milliseconds in which a client has to take something of what is left, until it has the last message. */
const lastMs = 5_000;
/** Times that it may: what is left has a bound, and so has the time that it is kept. */
const lastLooks = 4;

/** The way to one client, which holds no more of what it has not taken than its bound and one piece. */
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
   * Resolves when the client has taken so much that something may be written.
   * @throws ProblemError `overloaded` when it has not in time, and the signal's reason
   */
  async room(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + this.options.slowMs;
    while (this.isFull) {
      if (performance.now() > deadline) throw tooSlow();
      await sleep(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    signal.throwIfAborted();
  }

  /** Says the last thing, and waits until the client has taken it as long as it takes some of what is before it. */
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
