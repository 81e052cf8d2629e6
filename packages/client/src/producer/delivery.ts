import { isTransient } from '../errors/error-of.js';
import { InvalidRequestError } from '../errors/problem-classes.js';
import { ProblemError, UnknownOutcomeError, UnexpectedStatusError } from '../errors/tributary-error.js';
import { backOffMs, sleep } from '../http/back-off.js';
import type { HttpAnswer, HttpClient } from '../http/http-client.js';
import { settleBatch, settleOne, warningsIn } from './batch-answer.js';
import { gzip } from './gzip.js';
import type { PendingEvent } from './pending-event.js';

/** Time-outs and compression of a producer's requests. */
interface DeliveryOptions {
  /** Milliseconds after which an event without acknowledgement has an unknown outcome. */
  deliveryTimeoutMs: number;
  /** The time-out of one request in milliseconds. */
  requestTimeoutMs: number;
  /** Bodies of at least this size are compressed. */
  gzipFromBytes: number;
  /** Receives the warnings of answers. */
  onWarning: (warning: string) => void;
}

/** Milliseconds between two checks, during a back-off, whether the callers have aborted events of the batch. */
const lookMs = 100;

/** Milliseconds after which the server answers `undecided`. */
const decisionMs = 10_000;

const encoder = new TextEncoder();

/** Sends a batch until each event is acknowledged, refused or past its delivery time-out. */
export class BatchSender {
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
        if (events.length > 1 && isTooLarge(failure)) return this.inHalves(events);
        if (events.length > 1 && failure instanceof InvalidRequestError) return this.eachAlone(events);
        if (!isTransient(failure)) return rejectAll(events, failure);
        error = failure;
      }
      await this.backOff(events, { failures, error });
    }
  }

  /** Waits before the next attempt, until all events are settled. */
  private async backOff(
    events: readonly PendingEvent[],
    { failures, error }: { failures: number; error: unknown },
  ): Promise<void> {
    const until = performance.now() + backOffMs(failures, error);
    for (let left = events; ;) {
      left = this.alive(left, error);
      const ms = until - performance.now();
      if (left.length === 0 || ms <= 0) return;
      await sleep(Math.min(ms, this.timeLeft(left), lookMs));
    }
  }

  /** Returns the events still to send. Rejects those past the delivery time-out with an unknown outcome. */
  private alive(events: readonly PendingEvent[], error: unknown): readonly PendingEvent[] {
    const oldest = performance.now() - this.options.deliveryTimeoutMs;
    for (const event of events)
      if (!event.settled && event.takenAt <= oldest)
        event.reject(new UnknownOutcomeError(event.origin.event_id, event.attempts, error));
    return events.some(({ settled }) => settled) ? events.filter(({ settled }) => !settled) : events;
  }

  /** Sends the events once. Returns the error of the events that may be sent again. */
  private async attempt(events: readonly PendingEvent[]): Promise<unknown> {
    for (const event of events) event.attempts++;
    const [first] = events;
    const timeoutMs = this.timeoutOf(events);
    const answer =
      events.length > 1
        ? await this.post('/api/v1/events/batch', batchText(events), timeoutMs)
        : await this.post('/api/v1/events', first!.origin.text, timeoutMs);
    for (const warning of warningsIn(answer)) this.options.onWarning(warning);
    return events.length > 1 ? settleBatch(events, answer) : settleOne(first!, answer);
  }

  private async post(path: string, text: string, timeoutMs: number): Promise<HttpAnswer> {
    const bytes = encoder.encode(text);
    const compressed = bytes.length >= this.options.gzipFromBytes;
    return this.http.send({
      method: 'POST',
      path,
      body: compressed ? await gzip(bytes) : bytes,
      headers: compressed ? { 'content-encoding': 'gzip' } : {},
      timeoutMs,
    });
  }

  /** Sends the batch in two halves, because the server refuses such a large body. */
  private async inHalves(events: readonly PendingEvent[]): Promise<void> {
    const middle = Math.ceil(events.length / 2);
    await this.deliver(events.slice(0, middle));
    await this.deliver(events.slice(middle));
  }

  /** Sends each event separately: the server wrote none, and so each gets an answer with its own reason. */
  private async eachAlone(events: readonly PendingEvent[]): Promise<void> {
    for (const event of events) await this.deliver([event]);
  }

  /** Returns the time-out of a request: until the first delivery time-out, if that is earlier. */
  private timeoutOf(events: readonly PendingEvent[]): number {
    const waits = events.some(({ origin }) => origin.conditional) ? decisionMs : 0;
    return Math.min(this.options.requestTimeoutMs + waits, this.timeLeft(events));
  }

  /** Returns the milliseconds until the first delivery time-out of these events. */
  private timeLeft(events: readonly PendingEvent[]): number {
    const first = events.reduce((least, { takenAt }) => Math.min(least, takenAt), Infinity);
    return Math.max(1, first + this.options.deliveryTimeoutMs - performance.now());
  }
}

/** Whether the body is too large. The status decides: a proxy may answer without a problem document. */
function isTooLarge(error: unknown): boolean {
  return (error instanceof ProblemError || error instanceof UnexpectedStatusError) && error.status === 413;
}

function batchText(events: readonly PendingEvent[]): string {
  return `{"events":[${events.map(({ origin }) => origin.text).join(',')}]}`;
}

function rejectAll(events: readonly PendingEvent[], error: unknown): void {
  for (const event of events) event.reject(error);
}
