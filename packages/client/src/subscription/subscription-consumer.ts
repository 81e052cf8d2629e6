import { path } from '../http/address.js';
import type { JsonApiClient } from '../http/api.js';
import { durationMs } from '../http/duration-ms.js';
import type { CallOptions } from '../http/http-client.js';
import { parseJson } from '../json/json-text.js';
import type { Pages } from '../reading/pages.js';
import {
  readParkedEvent,
  readReceivedEvents,
  type ParkedEvent,
  type ReceivedEvent,
} from '../reading/received-event.js';
import type {
  EventRefusal,
  JsonObject,
  ListQuery,
  ParkedChange,
  ParkedInput,
  ReceiveInput,
  SettleInput,
  SettleResult,
  SettleResults,
  SubscriptionWithStats,
} from '../types/index.js';
import { SubscriptionWorker, type EachOptions, type EventHandler } from './subscription-worker.js';

/** Milliseconds for an answer to `receive` after its `wait`. */
const answerMs = 15_000;

/** `client.subscription(name)`: receives and acknowledges the events of one subscription, and moves it. */
export class SubscriptionConsumer {
  private readonly url: string;

  constructor(
    private readonly api: JsonApiClient,
    readonly name: string,
  ) {
    this.url = path`/api/v1/subscriptions/${name}`;
  }

  /** Returns the definition and how many events are handed out, wait or are parked. */
  status(options: CallOptions = {}): Promise<SubscriptionWithStats> {
    return this.api.get({ path: this.url, ...options });
  }

  /**
   * Returns events that no other worker has, each with a token. They must be acknowledged within `ack_within`; otherwise they
   * are handed out again. Waits up to `wait` for the first event. It is sent once: if the answer is lost, the events in it are
   * handed out again after `ack_within`.
   */
  async receive<Data = JsonObject>(
    input: ReceiveInput = {},
    { signal }: CallOptions = {},
  ): Promise<ReceivedEvent<Data>[]> {
    const timeoutMs = (durationMs(input.wait ?? '0s') ?? 60_000) + answerMs;
    const address = `${this.url}/receive`;
    const request = {
      method: 'POST',
      path: address,
      body: JSON.stringify(input),
      signal,
      timeoutMs,
    } as const;
    return readReceivedEvents<Data>((await this.api.http.send(request)).text);
  }

  /**
   * Acknowledges, refuses and prolongs events: at most 10 000 tokens. Resolves with a result for each token. An event whose
   * result for `ack` is `done` is never handed out again.
   */
  async settle(input: SettleInput, { signal }: CallOptions = {}): Promise<SettleResults> {
    const request = { method: 'POST', path: `${this.url}/ack`, body: JSON.stringify(input), signal } as const;
    return parseJson<SettleResults>((await this.api.http.repeat(request)).text);
  }

  /** Acknowledges events: they are never handed out again. */
  async ack(tokens: readonly string[], options: CallOptions = {}): Promise<SettleResult[]> {
    return (await this.settle({ ack: [...tokens] }, options)).ack;
  }

  /** Refuses an event: it is handed out again later, or with `park` only after a replay. */
  async nack(token: string, refusal: EventRefusal = {}, options: CallOptions = {}): Promise<SettleResult> {
    return (await this.settle({ nack: [{ token, ...refusal }] }, options)).nack[0]!;
  }

  /** Prolongs events: `ack_within` begins again, up to an hour after the hand-out. */
  async extend(tokens: readonly string[], options: CallOptions = {}): Promise<SettleResult[]> {
    return (await this.settle({ extend: [...tokens] }, options)).extend;
  }

  /**
   * Passes every event to the handler, acknowledges those it has processed, and refuses those for which it throws, with the
   * error's message as the reason. Prolongs events that take longer. Continues after transient failures and while the
   * subscription is paused.
   *
   * When the signal is aborted, it receives no more events, waits for the running handlers, acknowledges their events, and
   * resolves. @throws ProblemError if the subscription was deleted or the key is revoked, after the running handlers
   */
  async each<Data = JsonObject>(handler: EventHandler<Data>, options: EachOptions<Data> = {}): Promise<void> {
    await new SubscriptionWorker<Data>(this, handler, options).run();
  }

  parked<Data = JsonObject>(query: ListQuery = {}, options: CallOptions = {}): Pages<ParkedEvent<Data>> {
    const list = { path: `${this.url}/parked`, name: 'parked', query };
    return this.api.list({ ...list, readItem: readParkedEvent<Data> }, options);
  }

  /** Hands out parked events again, with all their attempts. Resolves with their number. */
  replay(ids: readonly string[] | 'all', options: CallOptions = {}): Promise<ParkedChange> {
    return this.api.change('POST', `${this.url}/parked/replay`, { body: selected(ids), ...options });
  }

  /** Discards parked events: they are never handed out again. Resolves with their number. */
  discard(ids: readonly string[] | 'all', options: CallOptions = {}): Promise<ParkedChange> {
    return this.api.change('POST', `${this.url}/parked/discard`, { body: selected(ids), ...options });
  }

  /**
   * Moves the subscription to `beginning`, to `now`, or to the events that arrived at an instant or later. What is handed out or
   * parked is forgotten.
   */
  seek(to: string | Date, options: CallOptions = {}): Promise<void> {
    return this.api.change('POST', `${this.url}/seek`, { body: { to }, ...options });
  }
}

function selected(ids: readonly string[] | 'all'): ParkedInput {
  return ids === 'all' ? { all: true } : { ids: [...ids] };
}
