import { metrics } from '#telemetry';
import { attemptOutcomes, type Attempt } from '#webhooks';

/** Counts an attempt to deliver, by its pipeline. */
export function countAttempt({ sender: pipeline, outcome, seconds }: Attempt): void {
  metrics.webhookAttempts.inc({ pipeline, outcome });
  metrics.webhookDuration.observe({ pipeline }, seconds);
}

/** A counter that begins with a failure shows no increase, and alerts ask for one. */
export function showAttempts(pipeline: string): void {
  for (const outcome of attemptOutcomes) metrics.webhookAttempts.inc({ pipeline, outcome }, 0);
}

/** The pipeline is gone. */
export function forgetAttempts(pipeline: string): void {
  for (const outcome of attemptOutcomes) metrics.webhookAttempts.remove({ pipeline, outcome });
  metrics.webhookDuration.remove({ pipeline });
}
