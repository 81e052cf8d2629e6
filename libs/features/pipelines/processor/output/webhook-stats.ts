import { counter, histogram } from '#telemetry';
import { attemptOutcomes, type DeliveryAttempt } from '#features/webhooks';

const webhookAttempts = counter('tributary_webhook_attempts_total', {
  help: 'Attempts to deliver to webhooks, by pipeline and outcome: delivered; repeated (rejected or unanswered, and retried); given_up (the event was written to the dead letters).',
  labelNames: ['pipeline', 'outcome'],
});

const webhookDuration = histogram('tributary_webhook_duration_seconds', {
  help: 'Seconds of an attempt to deliver to a webhook, until the answer or the time-out, by pipeline.',
  labelNames: ['pipeline'],
  // Few buckets: each pipeline with webhooks has its own series.
  buckets: [0.05, 0.25, 1, 5, 15],
});

/** Counts an attempt to post an event to a webhook, by pipeline. */
export function countAttempt({ sender: pipeline, outcome, seconds }: DeliveryAttempt): void {
  webhookAttempts.inc({ pipeline, outcome });
  webhookDuration.observe({ pipeline }, seconds);
}

/**
 * Creates the webhook counters of a pipeline with 0. If a counter appeared with its first failure, the function
 * `increase` in an alert would not see that failure.
 */
export function createAttemptMetrics(pipeline: string): void {
  for (const outcome of attemptOutcomes) webhookAttempts.inc({ pipeline, outcome }, 0);
}

/** Removes the webhook metrics of a deleted pipeline. */
export function removeAttemptMetrics(pipeline: string): void {
  for (const outcome of attemptOutcomes) webhookAttempts.remove({ pipeline, outcome });
  webhookDuration.remove({ pipeline });
}
