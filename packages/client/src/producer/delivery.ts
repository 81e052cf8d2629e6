import { isTransient } from '../errors/is-transient.js';
import { InvalidRequestError, PayloadTooLargeError } from '../errors/problem-classes.js';
import { UnknownOutcomeError } from '../errors/tributary-error.js';
import { backOffMs } from '../http/back-off.js';
import type { HttpAnswer, HttpClient } from '../http/http-client.js';
import { sleep } from '../http/sleep.js';
import { settleBatch, settleOne } from './batch-answer.js';
import { gzip } from './gzip.js';
import type { PendingEvent } from './pending-event.js';

export interface DeliveryOptions {
  /** Milliseconds in which an event is acknowledged, or its outcome is unknown. */
  deliveryTimeoutMs: number;
  /** Milliseconds that one request may take. */
  requestTimeoutMs: number;
  /** Bodies of at least so many bytes are compressed. */
  gzipFromBytes: number;
}

const encoder = new TextEncoder();

/** Sends a batch until each of its events has an outcome. */
export class Delivery {
  constructor(
    private readonly http: HttpClient,
    private readonly options: DeliveryOptions,
  ) {}

  async deliver(batch: readonly PendingEvent[]): Promise<void> {
    let events = batch;
    let error: unknown;
    for (let failures = 1; ; failures++) {
      events = this.alive(events, error);
      if (events.length === 0) return;
      try {
        error = await this.attempt(events);
      } catch (failure) {
        if (events.length > 1 && failure instanceof PayloadTooLargeError) return this.inHalves(events);
        if (events.length > 1 && failure instanceof InvalidRequestError) return this.eachAlone(events);
        if (!isTransient(failure)) return rejectAll(events, failure);
        error = failure;
      }
      if (events.every(({ settled }) => settled)) return;
      await sleep(Math.min(backOffMs(failures, error), this.timeLeft(events)));
    }
  }

  /** Those that are still to be sent. Where the time is over, the outcome is unknown. */
  private alive(events: readonly PendingEvent[], error: unknown): readonly PendingEvent[] {
    const oldest = performance.now() - this.options.deliveryTimeoutMs;
    for (const event of events)
      if (!event.settled && event.takenAt <= oldest)
        event.reject(new UnknownOutcomeError(event.origin.event_id, event.attempts, error));
    return events.some(({ settled }) => settled) ? events.filter(({ settled }) => !settled) : events;
  }

  /** Sends the events once. Returns why those that have no outcome yet may be sent again. */
  private async attempt(events: readonly PendingEvent[]): Promise<unknown> {
    for (const event of events) event.attempts++;
    const [first] = events;
    if (events.length > 1)
      return settleBatch(events, await this.post('/api/v1/events/batch', batchText(events)));
    return settleOne(first!, await this.post('/api/v1/events', first!.origin.text));
  }

  private async post(path: string, text: string): Promise<HttpAnswer> {
    const bytes = encoder.encode(text);
    const compressed = bytes.length >= this.options.gzipFromBytes;
    return this.http.send({
      method: 'POST',
      path,
      body: compressed ? await gzip(bytes) : bytes,
      headers: compressed ? { 'content-encoding': 'gzip' } : {},
      timeoutMs: this.options.requestTimeoutMs,
    });
  }

  /** The body is larger than the server takes. */
  private async inHalves(events: readonly PendingEvent[]): Promise<void> {
    const middle = Math.ceil(events.length / 2);
    await this.deliver(events.slice(0, middle));
    await this.deliver(events.slice(middle));
  }

  /** Nothing of the batch can be written. The answer to each event alone says why, with its own code. */
  private async eachAlone(events: readonly PendingEvent[]): Promise<void> {
    for (const event of events) await this.deliver([event]);
  }

  private timeLeft(events: readonly PendingEvent[]): number {
    const latest = Math.max(...events.map(({ takenAt }) => takenAt));
    return Math.max(0, latest + this.options.deliveryTimeoutMs - performance.now());
  }
}

function batchText(events: readonly PendingEvent[]): string {
  return `{"events":[${events.map(({ origin }) => origin.text).join(',')}]}`;
}

function rejectAll(events: readonly PendingEvent[], error: unknown): void {
  for (const event of events) event.reject(error);
}
