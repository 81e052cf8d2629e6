import { setTimeout as sleep } from 'node:timers/promises';
import type { Post, PostOutcome } from './post.js';
import { webhookHeaders } from './signature.js';

/** One event for one receiver. */
export interface Delivery {
  /** The event's id: the same in every attempt, and after every crash. */
  id: string;
  url: string;
  secretRef: string;
  /** JSON. */
  body: string;
}

export interface DeliveryOptions {
  poster: { post(post: Post, signal: AbortSignal): Promise<PostOutcome> };
  keys: ReadonlyMap<string, Buffer>;
  /** Called after each attempt. */
  attempted?: (outcome: 'delivered' | 'repeated' | 'given_up') => void;
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

  /**
   * Resolves when each delivery was taken or given up: with why it was given up, or undefined, in their order.
   * @throws the signal's reason when it is aborted: some may have been taken all the same.
   */
  async deliver(deliveries: readonly Delivery[], signal: AbortSignal): Promise<(string | undefined)[]> {
    const outcomes = new Array<string | undefined>(deliveries.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < deliveries.length; at = next++)
        outcomes[at] = await this.deliverOne(deliveries[at]!, signal);
    };
    await Promise.all(Array.from({ length: Math.min(this.options.atOnce, deliveries.length) }, work));
    return outcomes;
  }

  private async deliverOne(
    { id, url, secretRef, body }: Delivery,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { poster, keys, attempts, now = Date.now, attempted } = this.options;
    const key = keys.get(secretRef);
    if (!key) {
      attempted?.('given_up');
      return `There is no secret ${secretRef}: WEBHOOK_SECRETS does not name it.`;
    }
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      const headers = webhookHeaders({ id, body, at: now() / 1000 }, key);
      const outcome = await poster.post({ url, headers, body }, signal);
      signal.throwIfAborted();
      const failure = failureOf(outcome);
      if (failure === undefined) {
        attempted?.('delivered');
        return undefined;
      }
      if (failure.isFinal || attempt >= attempts) {
        attempted?.('given_up');
        return attempt === 1 ? failure.reason : `${failure.reason} So it went ${attempt} times.`;
      }
      attempted?.('repeated');
      await sleep(this.delay(attempt, outcome), undefined, { signal });
    }
  }

  /** Exponential back-off with full jitter; what the receiver asks for is waited, up to the longest. */
  private delay(attempt: number, outcome: PostOutcome): number {
    const { firstDelayMs, longestDelayMs, random = Math.random } = this.options;
    const most = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
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
