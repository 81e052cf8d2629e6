import type { Lag } from './lag.js';
import type { Progress } from './progress.js';

/** Error of a consumer that has lag but makes no progress. The process should be restarted. */
export class HangingError extends Error {
  override readonly name = 'HangingError';
}

/**
 * Error of a write that is being retried. Only one table may be affected, so the engine (Kafka or ClickHouse) may still
 * answer.
 */
export class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

/**
 * Returns the details for the health check of a consumer. @throws HangingError when it has lag but makes no progress
 */
export function consumerHealth(lag: { readonly total: Lag }, progress: Progress): Record<string, unknown> {
  const { events, seconds } = lag.total;
  const idle = Math.round(progress.secondsSinceMove);
  if (progress.hangs(events)) throw new HangingError(`no progress for ${idle} s, ${events} events behind`);
  return { lag_events: events, lag_seconds: Math.round(seconds * 1000) / 1000, seconds_since_progress: idle };
}

/** Health check for writes to an engine. @throws HeldUpError while a write is being retried */
export async function storingHealth({
  complaint,
}: {
  readonly complaint: string | undefined;
}): Promise<void> {
  if (complaint !== undefined) throw new HeldUpError(complaint);
}
