import { durationMs } from '#api';
import type { SubscriptionRetry } from '#features/subscriptions/definition';

/**
 * Returns the milliseconds after which an event is handed out again that was refused at this attempt (from 1 on); null if it has
 * no further one.
 */
export function retryDelay({ attempts, backoff }: SubscriptionRetry, attempt: number): number | null {
  if (attempt >= attempts) return null;
  const { first, factor, most } = backoff;
  return Math.min(durationMs(most), Math.round(durationMs(first) * factor ** (attempt - 1)));
}
