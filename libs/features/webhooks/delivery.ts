import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff, withAnySignal } from '#async';
import type { WebhookClient, WebhookPostResult } from './webhook-client.js';
import type { WebhookSecrets } from './secrets.js';
import { webhookHeaders } from './signature.js';

/** Receiver of a webhook, as a pipeline definition specifies it: its URL, and the name of the signing secret. */
interface WebhookTarget {
  readonly url: string;
  readonly secretRef: string;
}

/** One event that is to be posted to one webhook receiver. */
export interface PendingWebhookDelivery extends WebhookTarget {
  /** Id of the delivered event, sent as `webhook-id`: the same in every attempt, and after every crash. */
  readonly id: string;
  /** Name of the pipeline that posts the event, for metrics. */
  readonly sender: string;
  /** Id of the pipeline's job that posts the event. */
  readonly job: string;
  /** The body of the webhook request, as JSON text. */
  readonly body: string;
  /** The media type of the body, sent as `content-type`. */
  readonly contentType: string;
}

/**
 * Outcomes of an attempt to post an event to a webhook. `delivered`: the receiver accepted the event. `repeated`: the
 * attempt failed, and another attempt follows. `given_up`: the attempt failed, and no attempt follows.
 */
export const attemptOutcomes = ['delivered', 'repeated', 'given_up'] as const;

/** Outcome and duration of one attempt to post an event to a webhook, for metrics. */
export interface DeliveryAttempt extends Pick<PendingWebhookDelivery, 'sender' | 'job' | 'url'> {
  readonly outcome: (typeof attemptOutcomes)[number];
  /** Duration of the attempt in seconds, until the receiver's answer or the failure. */
  readonly seconds: number;
  /** Why the attempt failed; absent if the receiver accepted the event. */
  readonly answer?: string;
}

/** The HTTP client and secrets of a `WebhookDeliverer`, and optional limits, delays and clocks. */
export interface WebhookDelivererDependencies {
  poster: Pick<WebhookClient, 'post' | 'wrongIn'>;
  secrets: Pick<WebhookSecrets, 'keysFor'>;
  /** Called after each attempt to post an event, for metrics. */
  attempted?: (attempt: DeliveryAttempt) => void;
  /** Maximum number of requests in progress at the same time, for each call of `deliver`. */
  atOnce?: number;
  attempts?: number;
  firstDelayMs?: number;
  longestDelayMs?: number;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for the jitter of delays. */
  random?: () => number;
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
}

/**
 * Default limits and delays of webhook deliveries. With the time-out for an answer added, attempts are less than a
 * minute apart, because a consumer without progress for a minute counts as hanging.
 */
const defaults = { atOnce: 16, attempts: 8, firstDelayMs: 500, longestDelayMs: 40_000 };

/** HTTP status codes below 500 after which another attempt may succeed. */
const passing = new Set([408, 409, 425, 429]);

/**
 * Delivers events to webhook receivers at least once, following Standard Webhooks. The deliverer gives up an event that
 * its receiver rejects permanently, or does not accept after all attempts.
 */
export class WebhookDeliverer {
  private readonly options: WebhookDelivererDependencies & typeof defaults;

  constructor(options: WebhookDelivererDependencies) {
    this.options = { ...defaults, ...options };
  }

  /**
   * Returns why this process's configuration does not permit deliveries to the receiver, and what to change; undefined
   * if the configuration permits them.
   */
  missingConfiguration(target: WebhookTarget): string | undefined {
    const { secrets, poster } = this.options;
    const signing = secrets.keysFor(target);
    if ('refusal' in signing) return signing.refusal;
    const wrong = poster.wrongIn(target.url);
    return wrong === undefined ? undefined : `The address of the webhook ${wrong}.`;
  }

  /**
   * Resolves when each delivery was accepted or given up. The results are in the same order: undefined, or the reason
   * for giving up.
   * @throws the signal's reason when it is aborted, although some deliveries may have been accepted
   */
  async deliver(
    deliveries: readonly PendingWebhookDelivery[],
    signal: AbortSignal,
  ): Promise<(string | undefined)[]> {
    const outcomes = new Array<string | undefined>(deliveries.length);
    const atOnce = Math.min(this.options.atOnce, deliveries.length);
    let next = 0;
    await withAnySignal([signal], async (ended) => {
      // Each delivery adds a listener to the signal while it waits for its next attempt, so many listeners are no leak.
      setMaxListeners(atOnce, ended);
      const work = async (): Promise<void> => {
        for (let at = next++; at < deliveries.length; at = next++)
          outcomes[at] = await this.deliverOne(deliveries[at]!, ended);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    });
    return outcomes;
  }

  private async deliverOne(
    delivery: PendingWebhookDelivery,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { url, body, sender, job } = delivery;
    const { poster, secrets, attempts, attempted, firstDelayMs, longestDelayMs } = this.options;
    const backoff = new Backoff(firstDelayMs, longestDelayMs);
    const signing = secrets.keysFor(delivery);
    const by = { sender, job, url };
    if ('refusal' in signing) return signing.refusal;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const begun = performance.now();
      const outcome = await poster.post({ url, headers: this.headers(delivery, signing.keys), body }, signal);
      signal.throwIfAborted();
      const seconds = (performance.now() - begun) / 1000;
      const failure = failureOf(outcome);
      if (failure === undefined) {
        attempted?.({ ...by, outcome: 'delivered', seconds });
        return undefined;
      }
      if (failure.isFinal || attempt >= attempts) {
        attempted?.({ ...by, outcome: 'given_up', seconds, answer: failure.reason });
        return attempt === 1 ? failure.reason : `${failure.reason} All ${attempt} attempts failed.`;
      }
      attempted?.({ ...by, outcome: 'repeated', seconds, answer: failure.reason });
      await sleep(this.delay(backoff.next(), outcome), undefined, { signal });
    }
  }

  private headers(
    { id, body, contentType }: PendingWebhookDelivery,
    keys: readonly Buffer[],
  ): Record<string, string> {
    const { now = Date.now } = this.options;
    return { 'content-type': contentType, ...webhookHeaders({ id, body, at: now() / 1000 }, keys) };
  }

  /**
   * Returns the milliseconds until the next attempt: exponential back-off with full jitter, or the receiver's
   * `Retry-After` if that is longer, up to the longest delay.
   */
  private delay(most: number, outcome: WebhookPostResult): number {
    const { longestDelayMs, random = Math.random } = this.options;
    const asked = 'retryAfter' in outcome ? Number(outcome.retryAfter) * 1000 : 0;
    return Math.min(longestDelayMs, Math.max(random() * most, asked || 0));
  }
}

function failureOf(outcome: WebhookPostResult): { reason: string; isFinal: boolean } | undefined {
  if ('failure' in outcome) return { reason: outcome.failure, isFinal: outcome.isFinal };
  const { status } = outcome;
  if (status >= 200 && status < 300) return undefined;
  const isFinal = status < 500 && !passing.has(status);
  return { reason: `The receiver answered ${status}.`, isFinal };
}
