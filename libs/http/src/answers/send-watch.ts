import type { Socket } from 'node:net';
import { metrics } from '#telemetry';

/** How much a client has to take, and how soon. */
export interface SendBounds {
  /** Bytes that a client with an answer waiting takes within the time below, unless it takes all of it. */
  leastBytes: number;
  /** Milliseconds. */
  withinMs: number;
  /** Milliseconds while answers have no room because too many bytes wait. */
  tightMs: number;
  /** Milliseconds between two looks. */
  lookMs: number;
}

export const defaultSendBounds: SendBounds = {
  leastBytes: 1024 * 1024,
  withinMs: 20_000,
  tightMs: 5_000,
  lookMs: 1_000,
};

type Connection = Pick<Socket, 'writableLength' | 'bytesWritten' | 'destroy'>;

/**
 * Cuts off clients that do not take the answers they asked for. A client that reads a byte a second is cut off, too: it
 * has to take `leastBytes` in each period.
 */
export class SendWatch {
  private readonly sendings = new Set<Sending>();
  private timer: NodeJS.Timeout | undefined;

  /** @param tightSince Whether answers had no room since a time, in milliseconds of `performance.now()`. */
  constructor(
    private readonly bounds: SendBounds,
    private readonly tightSince: (time: number) => boolean,
  ) {}

  /** Watches an answer that is sent on this connection; returns what ends the watch. */
  add(connection: Connection): () => void {
    const sending = new Sending(connection);
    this.sendings.add(sending);
    this.timer ??= setInterval(() => this.look(), this.bounds.lookMs).unref();
    return () => void this.sendings.delete(sending);
  }

  /** Cuts off every client that is too slow. Looks are counted, so that a stall of this process is nobody's fault. */
  look(): void {
    const { leastBytes, withinMs, tightMs, lookMs } = this.bounds;
    const isTight = this.tightSince(performance.now() - 2 * lookMs);
    const mostLooks = (isTight ? tightMs : withinMs) / lookMs;
    for (const sending of this.sendings) {
      if (sending.look(leastBytes) < mostLooks) continue;
      this.sendings.delete(sending);
      metrics.httpAnswersCut.inc();
      sending.connection.destroy();
    }
    if (this.sendings.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

class Sending {
  private taken = 0;
  /** Looks in the current period; none before the first. */
  private looks = -1;

  constructor(readonly connection: Connection) {}

  /** How many looks ago the client last had nothing to take or had taken `leastBytes`. */
  look(leastBytes: number): number {
    const { writableLength, bytesWritten } = this.connection;
    // Bytes count as written when they are handed over: what waits has not been taken.
    const taken = bytesWritten - writableLength;
    this.looks++;
    if (this.looks === 0 || !writableLength || taken - this.taken >= leastBytes) {
      this.looks = 0;
      this.taken = taken;
    }
    return this.looks;
  }
}
