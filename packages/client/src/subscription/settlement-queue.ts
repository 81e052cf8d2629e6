import { isTransient } from '../errors/error-of.js';
import { backOffMs, sleep } from '../http/back-off.js';
import type { ReceivedEvent } from '../reading/received-event.js';
import type { EventRefusal, SettleInput, SettleResults } from '../types/index.js';

/** An event that its handler has processed or refused. */
export interface HandledEvent<Data> {
  received: ReceivedEvent<Data>;
  /** Undefined: the event is acknowledged. */
  refusal?: EventRefusal;
}

/** How a queue sends its tokens, and whom it tells the results. */
export interface SettlementPort<Data> {
  settle(input: SettleInput): Promise<SettleResults>;
  /** The limit of attempts: after that time the tokens have expired. */
  leaseMs(): number;
  /** An attempt has failed; the next one follows after the delay. */
  retrying(error: unknown, delayMs: number): void;
  /** Events that are no longer held: the server has answered, or will not. */
  settled(events: readonly HandledEvent<Data>[]): void;
  /** The event is handed out again although it was processed. */
  expired(event: ReceivedEvent<Data>): void;
  /** Error that a repetition cannot repair. */
  failed(error: unknown): void;
}

/** Milliseconds that the first event of a batch waits for others. */
const lingerMs = 5;

/** Acknowledges and refuses events in batches, one request at a time, and repeats a request until it is answered. */
export class SettlementQueue<Data> {
  private queued: HandledEvent<Data>[] = [];
  private sending: Promise<void> | undefined;

  constructor(private readonly port: SettlementPort<Data>) {}

  add(event: HandledEvent<Data>): void {
    this.queued.push(event);
    this.sending ??= this.sendAll();
  }

  /** Resolves when all events are settled. */
  async idle(): Promise<void> {
    await this.sending;
  }

  private async sendAll(): Promise<void> {
    await sleep(lingerMs);
    while (this.queued.length > 0) {
      const batch = this.queued;
      this.queued = [];
      await this.send(batch);
      this.port.settled(batch);
    }
    this.sending = undefined;
  }

  private async send(batch: readonly HandledEvent<Data>[]): Promise<void> {
    const rejected = batch.filter(({ refusal }) => refusal);
    const done = batch.filter(({ refusal }) => !refusal);
    const input: SettleInput = {
      ...(done.length > 0 && { ack: done.map(({ received }) => received.token) }),
      ...(rejected.length > 0 && {
        nack: rejected.map(({ received: { token }, refusal }) => ({ token, ...refusal })),
      }),
    };
    const results = await this.answer(input);
    done.forEach(({ received }, i) => results?.ack[i] === 'done' || this.port.expired(received));
  }

  /** Returns the results; undefined if there was none before the tokens expired. */
  private async answer(input: SettleInput): Promise<SettleResults | undefined> {
    const deadline = performance.now() + this.port.leaseMs();
    for (let failures = 1; ; failures++) {
      try {
        return await this.port.settle(input);
      } catch (error) {
        if (!isTransient(error)) return void this.port.failed(error);
        const delayMs = backOffMs(failures, error);
        if (performance.now() + delayMs >= deadline) return undefined;
        this.port.retrying(error, delayMs);
        await sleep(delayMs);
      }
    }
  }
}
