import { metrics } from '#telemetry';
import { attemptOutcomes, type DeliveryAttempt } from '#webhooks';

/** Counts an attempt to post an event to a webhook, by pipeline. */
export function countAttempt({ sender: pipeline, outcome, seconds }: DeliveryAttempt): void {
  metrics.webhookAttempts.inc({ pipeline, outcome });
  metrics.webhookDuration.observe({ pipeline }, seconds);
}

/**
 * Creates the webhook counters of a pipeline with 0. If a counter appeared with its first failure, the function
 * `increase` in an alert would not see that failure.
 */
export function createAttemptMetrics(pipeline: string): void {
  for (const outcome of attemptOutcomes) metrics.webhookAttempts.inc({ pipeline, outcome }, 0);
}

/** Removes the webhook metrics of a deleted pipeline. */
export function removeAttemptMetrics(pipeline: string): void {
  for (const outcome of attemptOutcomes) metrics.webhookAttempts.remove({ pipeline, outcome });
  metrics.webhookDuration.remove({ pipeline });
}
