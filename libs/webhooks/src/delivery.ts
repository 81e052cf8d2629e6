import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff, withAnySignal } from '#async';
import type { Poster, PostOutcome } from './post.js';
import { webhookHeaders } from './signature.js';

/** Where deliveries go to, as a definition says it. */
export interface Receiver {
  readonly url: string;
  readonly secretRef: string;
}

/** One event for one receiver. */
export interface Delivery extends Receiver {
  /** The event's id: the same in every attempt, and after every crash. */
  readonly id: string;
  /** Whose it is, in figures: a pipeline's name. */
  readonly sender: string;
  /** JSON. */
  readonly body: string;
  /** The media type of the body. */
  readonly contentType: string;
}

/** What an attempt came to: it was taken; or was not, and there is another one; or there is none. */
export const attemptOutcomes = ['delivered', 'repeated', 'given_up'] as const;

/** One attempt to deliver. */
export interface Attempt {
  readonly sender: string;
  readonly outcome: (typeof attemptOutcomes)[number];
  /** Until there was an answer, or none. */
  readonly seconds: number;
}

export interface DeliveryOptions {
  poster: Pick<Poster, 'post' | 'wrongIn'>;
  keys: ReadonlyMap<string, Buffer>;
  /** Called after each attempt. */
  attempted?: (attempt: Attempt) => void;
  /** Deliveries under way at once, of one call. */
  atOnce?: number;
  attempts?: number;
  firstDelayMs?: number;
  longestDelayMs?: number;
  /** From 0 to 1. */
  random?: () => number;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** With the time that a receiver has to answer, attempts are less than a minute apart: what is longer counts as hanging. */
const defaults = { atOnce: 16, attempts: 8, firstDelayMs: 500, longestDelayMs: 40_000 };

/** What repeating may help against, beside 5xx. */
const passing = new Set([408, 409, 425, 429]);

/**
 * Delivers to receivers: at least once, as Standard Webhooks says. What is refused for good, or not taken after all attempts, is
 * given up.
 */
export class Deliverer {
  private readonly options: DeliveryOptions & typeof defaults;

  constructor(options: DeliveryOptions) {
    this.options = { ...defaults, ...options };
  }

  /** Why nothing can be delivered there with the settings of this process, and what to do; undefined when it can. */
  missingConfiguration({ url, secretRef }: Receiver): string | undefined {
    const { keys, poster } = this.options;
    if (!keys.has(secretRef))
      return `There is no webhook secret ${secretRef}. Add ${secretRef}=whsec_… to WEBHOOK_SECRETS of the processors.`;
    const wrong = poster.wrongIn(url);
    return wrong === undefined ? undefined : `The address of the webhook ${wrong}.`;
  }

  /**
   * Resolves when each delivery was taken or given up: with why it was given up, or undefined, in their order.
   * @throws the signal's reason when it is aborted: some may have been taken all the same; RangeError where
   * configuration is missing, which whoever calls this has asked for before
   */
  async deliver(deliveries: readonly Delivery[], signal: AbortSignal): Promise<(string | undefined)[]> {
    const outcomes = new Array<string | undefined>(deliveries.length);
    const atOnce = Math.min(this.options.atOnce, deliveries.length);
    let next = 0;
    await withAnySignal([signal], async (ended) => {
      // Each delivery listens while it waits for its next attempt: so many listeners at a time are no leak.
      setMaxListeners(atOnce, ended);
      const work = async (): Promise<void> => {
        for (let at = next++; at < deliveries.length; at = next++)
          outcomes[at] = await this.deliverOne(deliveries[at]!, ended);
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    });
    return outcomes;
  }

  private async deliverOne(delivery: Delivery, signal: AbortSignal): Promise<string | undefined> {
    const { url, body, sender, secretRef } = delivery;
    const { poster, keys, attempts, attempted, firstDelayMs, longestDelayMs } = this.options;
    const backoff = new Backoff(firstDelayMs, longestDelayMs);
    const key = keys.get(secretRef);
    if (!key) throw new RangeError(`no webhook secret ${secretRef}`);
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const begun = performance.now();
      const outcome = await poster.post({ url, headers: this.headers(delivery, key), body }, signal);
      signal.throwIfAborted();
      const seconds = (performance.now() - begun) / 1000;
      const failure = failureOf(outcome);
      if (failure === undefined) {
        attempted?.({ sender, outcome: 'delivered', seconds });
        return undefined;
      }
      if (failure.isFinal || attempt >= attempts) {
        attempted?.({ sender, outcome: 'given_up', seconds });
        return attempt === 1 ? failure.reason : `${failure.reason} So it went ${attempt} times.`;
      }
      attempted?.({ sender, outcome: 'repeated', seconds });
      await sleep(this.delay(backoff.next(), outcome), undefined, { signal });
    }
  }

  private headers({ id, body, contentType }: Delivery, key: Buffer): Record<string, string> {
    const { now = Date.now } = this.options;
    return { 'content-type': contentType, ...webhookHeaders({ id, body, at: now() / 1000 }, key) };
  }

  /** Exponential back-off with full jitter; what the receiver asks for is waited, up to the longest. */
  private delay(most: number, outcome: PostOutcome): number {
    const { longestDelayMs, random = Math.random } = this.options;
    const asked = 'retryAfter' in outcome ? Number(outcome.retryAfter) * 1000 : 0;
    return Math.min(longestDelayMs, Math.max(random() * most, asked || 0));
  }
}

function failureOf(outcome: PostOutcome): { reason: string; isFinal: boolean } | undefined {
  if ('failure' in outcome) return { reason: outcome.failure, isFinal: outcome.isFinal };
  const { status } = outcome;
  if (status >= 200 && status < 300) return undefined;
  const isFinal = status < 500 && !passing.has(status);
  return { reason: `The receiver answered ${status}.`, isFinal };
}
