import type { Lag } from './lag.js';
import type { StalledConsumerDetector } from './progress.js';

/** A Kafka consumer has lag, but no progress for a minute: the process should be restarted. */
class StalledConsumerError extends Error {
  override readonly name = 'StalledConsumerError';
}

/** A call to Kafka or ClickHouse has failed and is being retried. Other calls may still succeed. */
class RetriedCallError extends Error {
  override readonly name = 'RetriedCallError';
}

/** Returns lag and time since the last progress of a Kafka consumer. @throws StalledConsumerError if it hangs */
export function consumerHealth(
  lag: { readonly total: Lag },
  progress: StalledConsumerDetector,
): Record<string, unknown> {
  const { events, seconds } = lag.total;
  const idle = Math.round(progress.secondsSinceMove);
  if (progress.hangs(events))
    throw new StalledConsumerError(`no progress for ${idle} s, ${events} events behind`);
  return { lag_events: events, lag_seconds: Math.round(seconds * 1000) / 1000, seconds_since_progress: idle };
}

/** Health check for calls to Kafka and ClickHouse. @throws RetriedCallError while a call is being retried */
export async function blockedWriteHealth(retry: { readonly complaint: string | undefined }): Promise<void> {
  if (retry.complaint !== undefined) throw new RetriedCallError(retry.complaint);
}
