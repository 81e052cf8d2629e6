import type { Lag } from './lag.js';
import type { ConsumerProgress } from './progress.js';

/** Error of a consumer that has lag but makes no progress. The process should be restarted. */
export class StalledConsumerError extends Error {
  override readonly name = 'StalledConsumerError';
}

/**
 * Error of a write that is being retried. Only one table may be affected, so the engine (Kafka or ClickHouse) may still
 * answer.
 */
export class BlockedWriteError extends Error {
  override readonly name = 'BlockedWriteError';
}

/**
 * Returns the details for the health check of a consumer. @throws StalledConsumerError when it has lag but makes no progress
 */
export function consumerHealth(
  lag: { readonly total: Lag },
  progress: ConsumerProgress,
): Record<string, unknown> {
  const { events, seconds } = lag.total;
  const idle = Math.round(progress.secondsSinceMove);
  if (progress.hangs(events))
    throw new StalledConsumerError(`no progress for ${idle} s, ${events} events behind`);
  return { lag_events: events, lag_seconds: Math.round(seconds * 1000) / 1000, seconds_since_progress: idle };
}

/** Health check for writes to an engine. @throws BlockedWriteError while a write is being retried */
export async function blockedWriteHealth({
  complaint,
}: {
  readonly complaint: string | undefined;
}): Promise<void> {
  if (complaint !== undefined) throw new BlockedWriteError(complaint);
}
