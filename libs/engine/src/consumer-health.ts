import type { Lag } from './lag.js';
import type { Progress } from './progress.js';

/** The consumer has lag and does not move. The process should be restarted. */
export class HangingError extends Error {
  override readonly name = 'HangingError';
}

/** Something is not stored, and is tried again and again. It may be one table only: the store answers all the same. */
export class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

/** What a health check says about how far a consumer is. @throws HangingError */
export function consumerHealth(lag: { readonly total: Lag }, progress: Progress): Record<string, unknown> {
  const { events, seconds } = lag.total;
  const idle = Math.round(progress.secondsSinceMove);
  if (progress.hangs(events)) throw new HangingError(`nothing moved for ${idle} s, ${events} events behind`);
  return { lag_events: events, lag_seconds: Math.round(seconds * 1000) / 1000, seconds_since_progress: idle };
}

/** What a health check says about what an engine does not take. @throws HeldUpError while there is a complaint */
export async function storingHealth({
  complaint,
}: {
  readonly complaint: string | undefined;
}): Promise<void> {
  if (complaint !== undefined) throw new HeldUpError(complaint);
}
