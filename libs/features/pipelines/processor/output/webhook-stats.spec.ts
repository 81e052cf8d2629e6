import { describe, expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { countAttempt, removeAttemptMetrics, createAttemptMetrics } from './webhook-stats.js';

const shown = async () =>
  (await metricsText())
    .split('\n')
    .filter((line) => /^tributary_webhook_(attempts_total|duration_seconds_count)/.test(line));

describe('The metrics of webhooks', () => {
  it('exist before the first attempt, count each attempt, and are removed with the pipeline', async () => {
    createAttemptMetrics('p');
    const by = { sender: 'p', job: 'j', url: 'https://example.com/' };
    countAttempt({ ...by, outcome: 'repeated', seconds: 2 });
    countAttempt({ ...by, outcome: 'delivered', seconds: 0.1 });
    expect(await shown()).toEqual([
      'tributary_webhook_attempts_total{pipeline="p",outcome="delivered"} 1',
      'tributary_webhook_attempts_total{pipeline="p",outcome="repeated"} 1',
      'tributary_webhook_attempts_total{pipeline="p",outcome="given_up"} 0',
      'tributary_webhook_duration_seconds_count{pipeline="p"} 2',
    ]);
    removeAttemptMetrics('p');
    expect(await shown()).toEqual([]);
  });
});
