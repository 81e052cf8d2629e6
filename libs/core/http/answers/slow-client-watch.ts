import type { Socket } from 'node:net';
import { httpAnswersCut } from '../metrics.js';

/** Limits below which a client receives its answers so slowly that it is disconnected. */
export interface SlowClientLimits {
  /** Bytes that a client must receive within `withinMs`, if so many are left of its answer. */
  leastBytes: number;
  /** Milliseconds in which a client must receive `leastBytes`. */
  withinMs: number;
  /** Milliseconds in which a client must receive `leastBytes` while the answer budget is full. */
  tightMs: number;
  /** Milliseconds between two checks how much each client has received. */
  lookMs: number;
}

export const defaultSlowClientLimits: SlowClientLimits = {
  leastBytes: 1024 * 1024,
  withinMs: 20_000,
  tightMs: 5_000,
  lookMs: 1_000,
};

/** An answer that is being sent. */
interface Sending {
  readonly connection: Pick<Socket, 'writableLength' | 'bytesWritten' | 'destroy'>;
  /** Bytes that the client had received when the current period began. */
  received: number;
  /** Polls in the current period; -1 before the first poll. */
  polls: number;
}

/**
 * Disconnects clients that receive their answers too slowly. A client must receive `leastBytes` in each period, so a
 * client that reads one byte a second is disconnected, too.
 */
export class SlowClientWatch {
  private readonly sendings = new Set<Sending>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param tightSince Returns whether the answer budget was full since a time, in milliseconds of `performance.now()`.
   */
  constructor(
    private readonly bounds: SlowClientLimits,
    private readonly tightSince: (time: number) => boolean,
  ) {}

  /** Watches the answer on this connection. Returns a function that ends the watch. */
  add(connection: Sending['connection']): () => void {
    const sending = { connection, received: 0, polls: -1 };
    this.sendings.add(sending);
    this.timer ??= setInterval(() => this.look(), this.bounds.lookMs).unref();
    return () => void this.sendings.delete(sending);
  }

  /**
   * Polls all connections and disconnects each client that is too slow. Time is measured in polls, so that a pause of
   * this process does not count against a client.
   */
  look(): void {
    const { leastBytes, withinMs, tightMs, lookMs } = this.bounds;
    const isTight = this.tightSince(performance.now() - 2 * lookMs);
    const mostPolls = (isTight ? tightMs : withinMs) / lookMs;
    for (const sending of this.sendings) {
      if (pollsSinceProgress(sending, leastBytes) < mostPolls) continue;
      this.sendings.delete(sending);
      httpAnswersCut.inc();
      sending.connection.destroy();
    }
    if (this.sendings.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** Returns the number of polls since the client last had received `leastBytes` or had nothing to receive. */
function pollsSinceProgress(sending: Sending, leastBytes: number): number {
  const { writableLength, bytesWritten } = sending.connection;
  // Node counts bytes as written when they are buffered: subtract the bytes that still wait.
  const received = bytesWritten - writableLength;
  sending.polls++;
  if (sending.polls === 0 || !writableLength || received - sending.received >= leastBytes) {
    sending.polls = 0;
    sending.received = received;
  }
  return sending.polls;
}
