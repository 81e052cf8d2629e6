import { isTransient } from '../errors/error-of.js';
import { InsufficientScopeError, SubscriptionPausedError } from '../errors/problem-classes.js';
import { backOffMs, sleep } from '../http/back-off.js';
import { durationMs } from '../http/duration-ms.js';
import type { CallOptions } from '../http/http-client.js';
import { requireKnownOptions } from '../http/known-options.js';
import type { ReceivedEvent } from '../reading/received-event.js';
import type { StoredEvent } from '../reading/exact-reader.js';
import type {
  EventRefusal,
  JsonObject,
  ReceiveInput,
  SettleInput,
  SettleResults,
  SubscriptionWithStats,
} from '../types/index.js';
import { SettlementQueue } from './settlement-queue.js';

/** Processes one event. An event for which it throws is refused. */
export type EventHandler<Data = JsonObject> = (
  event: StoredEvent<Data>,
  received: ReceivedEvent<Data>,
) => unknown;

/** Options of `client.subscription(name).each`. */
export interface EachOptions<Data = JsonObject> extends CallOptions {
  /** The maximum number of handlers that run at the same time, from 1 to 1 000; default 10. */
  concurrency?: number;
  /** The maximum number of events of one request; default: as many as handlers are free. */
  max?: number;
  /** Receives what a handler has thrown. What it returns replaces the refusal, for example `{ park: true }`. */
  onError?: (error: unknown, received: ReceivedEvent<Data>) => EventRefusal | void;
  /** Receives transient failures of requests, and the milliseconds until the next attempt. */
  onRetry?: (error: unknown, delayMs: number) => void;
  /** Receives an event that was processed but not acknowledged in time: it is handed out again. */
  onExpired?: (received: ReceivedEvent<Data>) => void;
}

const optionNames = ['concurrency', 'max', 'onError', 'onRetry', 'onExpired', 'signal'];
const mostConcurrency = 1_000;
const wait = '20s';
/** `ack_within` if the key may not read the definition: its default. */
const defaultLeaseMs = 30_000;
const mostReasonCharacters = 1_000;

/** What a worker does with its subscription; see `SubscriptionConsumer`. */
interface WorkedSubscription {
  status(options?: CallOptions): Promise<SubscriptionWithStats>;
  receive<Data>(input?: ReceiveInput, options?: CallOptions): Promise<ReceivedEvent<Data>[]>;
  settle(input: SettleInput, options?: CallOptions): Promise<SettleResults>;
  extend(tokens: readonly string[], options?: CallOptions): Promise<unknown>;
}

/** Receives the events of a subscription and runs a handler for each, until its signal is aborted. */
export class SubscriptionWorker<Data> {
  private readonly concurrency: number;
  /** Aborted with the caller's signal, and after an error that a repetition cannot repair. */
  private readonly stop = new AbortController();
  private readonly running = new Map<string, Promise<void>>();
  private readonly settlements: SettlementQueue<Data>;
  /** Number of events that the worker holds: running ones, and those whose settlement is not answered. */
  private unsettled = 0;
  private failure: { error: unknown } | undefined;
  private leaseMs: number | undefined;
  private heartbeat: ReturnType<typeof setInterval> | undefined;
  private extending = false;
  private wake = (): void => undefined;

  constructor(
    private readonly subscription: WorkedSubscription,
    private readonly handler: EventHandler<Data>,
    private readonly options: EachOptions<Data>,
  ) {
    requireKnownOptions('each', options, optionNames);
    this.concurrency = options.concurrency ?? 10;
    const { concurrency, max = 1 } = { ...options, concurrency: this.concurrency };
    if (!isBetween(concurrency, mostConcurrency) || !isBetween(max, mostConcurrency))
      throw new TypeError(`concurrency and max must be integers from 1 to ${mostConcurrency}.`);
    this.settlements = new SettlementQueue<Data>({
      settle: (input) => this.subscription.settle(input),
      leaseMs: () => this.leaseMs ?? defaultLeaseMs,
      retrying: (error, delayMs) => this.reportRetry(error, delayMs),
      settled: (events) => this.release(events.length),
      expired: (received) => this.report(() => this.options.onExpired?.(received)),
      failed: (error) => this.fail(error),
    });
  }

  /** Resolves when the signal was aborted and all received events are settled. @throws the error that has ended it */
  async run(): Promise<void> {
    const { signal } = this.options;
    const onAbort = () => this.stop.abort();
    if (signal?.aborted) return;
    signal?.addEventListener('abort', onAbort, { once: true });
    this.stop.signal.addEventListener('abort', () => this.wake(), { once: true });
    try {
      await this.receiveUntilStopped();
    } finally {
      signal?.removeEventListener('abort', onAbort);
      await Promise.all(this.running.values());
      await this.settlements.idle();
      clearInterval(this.heartbeat);
    }
    if (this.failure) throw this.failure.error;
  }

  private async receiveUntilStopped(): Promise<void> {
    const { signal } = this.stop;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.beginHeartbeats();
        const free = await this.freeHandlers();
        if (signal.aborted) return;
        const max = Math.min(free, this.options.max ?? free);
        const events = await this.subscription.receive<Data>({ max, wait }, { signal });
        failures = 0;
        for (const received of events) this.start(received);
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransient(error) && !(error instanceof SubscriptionPausedError)) return this.fail(error);
        const delayMs = backOffMs(++failures, error);
        this.reportRetry(error, delayMs);
        await sleep(delayMs, signal).catch(() => undefined);
      }
    }
  }

  /** Resolves with the number of events to ask for, as soon as a handler is free, or when the worker is to stop. */
  private async freeHandlers(): Promise<number> {
    for (;;) {
      const free = Math.min(this.concurrency - this.running.size, 2 * this.concurrency - this.unsettled);
      if (free > 0 || this.stop.signal.aborted) return free;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private start(received: ReceivedEvent<Data>): void {
    this.unsettled++;
    const process = async () => {
      const refusal = await this.refusalOf(received);
      this.running.delete(received.token);
      this.settlements.add({ received, ...(refusal && { refusal }) });
      this.wake();
    };
    this.running.set(received.token, process());
  }

  /** Runs the handler. Returns undefined if it has processed the event. */
  private async refusalOf(received: ReceivedEvent<Data>): Promise<EventRefusal | undefined> {
    try {
      await this.handler(received.event, received);
      return undefined;
    } catch (error) {
      let refusal: EventRefusal = { reason: reasonOf(error) };
      this.report(() => (refusal = { ...refusal, ...this.options.onError?.(error, received) }));
      return refusal;
    }
  }

  private reportRetry(error: unknown, delayMs: number): void {
    this.report(() => this.options.onRetry?.(error, delayMs));
  }

  /** Calls a function of the caller. An error that it throws ends the worker. */
  private report(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.fail(error);
    }
  }

  private release(count: number): void {
    this.unsettled -= count;
    this.wake();
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.stop.abort();
  }

  /** Reads `ack_within` once, and prolongs the events of running handlers each third of it. */
  private async beginHeartbeats(): Promise<void> {
    if (this.leaseMs !== undefined) return;
    this.leaseMs = await this.readLeaseMs();
    this.heartbeat = setInterval(() => void this.extend(), this.leaseMs / 3);
  }

  private async readLeaseMs(): Promise<number> {
    try {
      const { ack_within } = await this.subscription.status({ signal: this.stop.signal });
      return durationMs(ack_within) ?? defaultLeaseMs;
    } catch (error) {
      if (error instanceof InsufficientScopeError) return defaultLeaseMs;
      throw error;
    }
  }

  /** A failed attempt is made up by the next one: two can fail before an event expires. */
  private async extend(): Promise<void> {
    const tokens = [...this.running.keys()];
    if (this.extending || tokens.length === 0) return;
    this.extending = true;
    await this.subscription.extend(tokens).catch((error) => this.reportRetry(error, this.leaseMs! / 3));
    this.extending = false;
  }
}

function isBetween(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}

/** Returns the text that the server keeps as the reason. */
function reasonOf(error: unknown): string {
  const text = (error instanceof Error && error.message) || String(error) || 'The handler has thrown.';
  return [...text.slice(0, 2 * mostReasonCharacters)].slice(0, mostReasonCharacters).join('');
}
