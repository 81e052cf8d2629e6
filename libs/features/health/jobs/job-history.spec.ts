import { describe, expect, it } from 'vitest';
import { JobHistory } from './job-history.js';

const job = { job: 'projection:revenue', streams: ['orders'] };
const open = { access: { patterns: undefined, reserved: true } };
const totals = (processed: number, failed = 0, owner = 'a') => ({ owner, processed, failed });

/** Returns the values of the newest interval. */
function latest(history: JobHistory, now: number, more: object = {}) {
  const samples = history.samples(job.job, { span: '1h', now, ...open, ...more });
  return Object.fromEntries(
    Object.entries(samples).map(([name, values]: [string, unknown[]]) => [name, values.at(-1)]),
  );
}

describe('the rates of a job', () => {
  it('are what its totals have grown by since they were read last', () => {
    const history = new JobHistory();
    history.addTotals(job, totals(1000, 5), 0);
    expect(latest(history, 0)).toMatchObject({ processed_per_second: null, failed: null });
    history.addTotals(job, totals(1300, 6), 30_000);
    expect(latest(history, 30_000)).toMatchObject({ processed_per_second: 10, failed: 1 });
    expect(latest(history, 30_000, { span: '7d' })).toMatchObject({ processed_per_second: 10, failed: 1 });
  });

  it('begin again with another generation, which counts from 0', () => {
    const history = new JobHistory();
    history.addTotals(job, totals(1000), 0);
    history.addTotals(job, totals(5000, 0, 'b'), 30_000);
    expect(latest(history, 30_000)).toMatchObject({ processed_per_second: null });
    history.addTotals(job, totals(5030, 0, 'b'), 60_000);
    expect(latest(history, 60_000)).toMatchObject({ processed_per_second: 1 });
  });

  it('are never negative', () => {
    const history = new JobHistory();
    history.addTotals(job, totals(1000, 3), 0);
    history.addTotals(job, totals(900, 1), 30_000);
    expect(latest(history, 30_000)).toMatchObject({ processed_per_second: 0, failed: 0 });
  });
});

describe('the history of jobs', () => {
  it('covers an hour, a day and a week', () => {
    const history = new JobHistory();
    const lengths = (['1h', '1d', '7d'] as const).map(
      (span) => history.samples(job.job, { span, ...open }).failed.length,
    );
    expect(lengths).toEqual([120, 288, 168]);
  });

  it('forgets the jobs that have been deleted', () => {
    const history = new JobHistory();
    history.addLag(job, { lag_events: 3, lag_seconds: 1 }, 0);
    history.keepOnly([]);
    expect(latest(history, 0)).toMatchObject({ lag_events: null });
  });

  it('is bounded, whatever the number of jobs', () => {
    const history = new JobHistory();
    const name = (i: number) => `projection:p${i}`;
    for (let i = 0; i <= 401; i++)
      history.addLag({ job: name(i), streams: [] }, { lag_events: 1, lag_seconds: 0 }, 0);
    const lagOf = (i: number) => history.samples(name(i), { span: '1h', now: 0, ...open }).lag_events.at(-1);
    expect([lagOf(400), lagOf(401)]).toEqual([1, null]);
  });

  it('shows nothing of a job to a caller that may not see a stream of a former definition', () => {
    const history = new JobHistory();
    history.addLag(job, { lag_events: 3, lag_seconds: 1 }, 0);
    history.addLag({ ...job, streams: ['payments'] }, { lag_events: 4, lag_seconds: 1 }, 0);
    const of = (...patterns: string[]) => latest(history, 0, { access: { patterns, reserved: false } });
    expect(of('orders', 'payments')).toMatchObject({ lag_events: 4 });
    expect(of('payments')).toMatchObject({ lag_events: null });
  });
});
