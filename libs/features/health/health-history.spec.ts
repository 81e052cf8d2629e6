import { describe, expect, it } from 'vitest';
import { givenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { HealthHistory } from './health-history.js';

const lag = (lag_events: number, lag_seconds = 0) => ({ lag_events, lag_seconds });

describe('the history of the health figures', () => {
  it('has the largest figures of each 15 seconds', () => {
    const history = new HealthHistory();
    history.add({ materializer: lag(3, 1) }, 30_000);
    history.add({ materializer: lag(1, 4), processor: lag(7), failed_jobs: 2 }, 44_999);
    history.add({ failed_jobs: 1 }, 44_999);
    history.add({ materializer: lag(0) }, 45_000);
    expect(history.samples(50_000)).toEqual([
      { start: 30_000, materializer: lag(3, 4), processor: lag(7), failed_jobs: 2 },
      { start: 45_000, materializer: lag(0) },
    ]);
  });

  it('keeps an hour, whatever is added', () => {
    const history = new HealthHistory();
    for (let now = 0; now < 3 * 3_600_000; now += 5_000) history.add({ failed_jobs: now }, now);
    const end = 3 * 3_600_000 - 1;
    const kept = history.samples(end);
    expect([kept.length, kept[0]?.start]).toEqual([240, 2 * 3_600_000]);
    expect(history.samples(end + 1_800_000)).toHaveLength(120);
  });

  it('stays in order when the clock is set back', () => {
    const history = new HealthHistory();
    history.add({ failed_jobs: 1 }, 60_000);
    history.add({ failed_jobs: 5 }, 20_000);
    expect(history.samples(60_000)).toEqual([{ start: 60_000, failed_jobs: 5 }]);
  });

  it('forgets what a clock measured that was a day ahead', () => {
    const history = new HealthHistory();
    history.add({ failed_jobs: 7 }, 86_400_000);
    history.add({ failed_jobs: 1 }, 30_000);
    expect(history.samples(30_000)).toEqual([{ start: 30_000, failed_jobs: 1 }]);
  });
});

it('GET /api/v1/health-history answers without Kafka: it measures nothing', async () => {
  const gateway = await givenGateway();
  gateway.nest.get(HealthHistory, { strict: false }).add({ materializer: lag(3, 0.5) }, Date.now());
  gateway.log.down = true;
  const answer = await gateway.core.instance.inject({ url: '/api/v1/health-history' });
  expect(answer.json()).toEqual({
    interval_seconds: 15,
    samples: [
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        ...{ materializer: lag(3, 0.5), processor: null, failed_jobs: null },
      },
    ],
  });
  await gateway.close();
});
