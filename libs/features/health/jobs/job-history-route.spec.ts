import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemActor } from '#registry';
import { givenGateway, type GivenGateway } from '../../../../apps/gateway/src/gateway.fixture.js';
import { partitionProgress } from '../../../core/store/keyed-states.fixture.js';
import { nowServing } from '../../projections/gateway/states/serving.fixture.js';
import { JobMeasurer } from './job-measurer.js';
import type { JobHistoryAnswer } from './job-history.controller.js';

let gateway: GivenGateway;
let measurer: JobMeasurer;

beforeAll(async () => {
  gateway = await givenGateway();
  measurer = gateway.nest.get(JobMeasurer, { strict: false });
  for (const stream of ['orders', 'secret'])
    await gateway.definitions.createStream({ stream, partitions: 1 }, systemActor);
  const fields = { n: { op: 'count' } };
  for (const stream of ['orders', 'secret'])
    await post('/api/v1/projections', { name: `of-${stream}`, source: { streams: [stream] }, fields });
  const operators = [{ emit: { stream: 'copies' } }];
  await post('/api/v1/pipelines', { name: 'copy', source: { streams: ['orders'] }, operators });
});
afterAll(() => gateway.close());

describe('GET /api/v1/job-history', () => {
  it('lists each job, sorted by name, with one value for each interval', async () => {
    const { jobs, interval_seconds, start, total, next_cursor } = await read('');
    expect(jobs.map(({ job }) => job)).toEqual([
      ...['materializer', 'pipeline:copy', 'projection:of-orders', 'projection:of-secret'],
    ]);
    expect({ interval_seconds, total, next_cursor }).toEqual({
      ...{ interval_seconds: 30, total: 4, next_cursor: null },
    });
    expect(Date.now() - Date.parse(start)).toBeGreaterThan(3_570_000);
    for (const { processed_per_second, failed, lag_events, lag_seconds } of jobs)
      expect([processed_per_second, failed, lag_events, lag_seconds].map((list) => list.length)).toEqual([
        ...[120, 120, 120, 120],
      ]);
  });

  it.each([
    ['1h', 30, 120],
    ['1d', 300, 288],
    ['7d', 3600, 168],
  ])('has intervals of the span %s: %d s', async (span, seconds, samples) => {
    const { jobs, interval_seconds } = await read(`?span=${span}&limit=1`);
    expect([interval_seconds, jobs[0]?.lag_events.length, jobs.length]).toEqual([seconds, samples, 1]);
  });

  it('has the rates of the checkpoints and the measured lag', async () => {
    const generation = await nowServing(gateway, 'of-orders');
    const run = gateway.definitions.pipelines.get('copy')?.run.id ?? '';
    const save = async (processed: number, failed: number) => {
      const counts = { stream: 'orders', partition: 0, next: processed, processed, failed };
      await gateway.store.projections.save([], [partitionProgress({ ...counts, owner: generation.id })]);
      await gateway.store.pipelines.save([], [partitionProgress({ ...counts, owner: run })]);
      await measurer.measureTotals();
    };
    await save(100, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await save(400, 3);
    measurer.addLags(new Map([[run, { lag: 12, seconds: 1.5 }]]));
    for (const job of ['projection:of-orders', 'pipeline:copy']) {
      const [found] = (await read(`?job=${job}&span=7d`)).jobs;
      expect([job, measured(found?.failed)]).toEqual([job, [2]]);
      expect(measured(found?.processed_per_second)[0]).toBeGreaterThan(0);
    }
    const [pipeline] = (await read('?job=pipeline:copy&span=7d')).jobs;
    expect([measured(pipeline?.lag_events), measured(pipeline?.lag_seconds)]).toEqual([[12], [1.5]]);
  });

  it('has pages', async () => {
    const first = await read('?limit=3');
    const second = await read(`?limit=3&cursor=${first.next_cursor}`);
    expect([first.jobs.length, first.has_more, second.jobs.length, second.has_more]).toEqual([
      3,
      true,
      1,
      false,
    ]);
  });

  it.each([
    ['?job=revenue', 400, 'invalid_request'],
    ['?job=projection:', 400, 'invalid_request'],
    ['?span=2h', 400, 'invalid_request'],
    ['?job=projection:none', 404, 'projection_not_found'],
    ['?job=pipeline:none', 404, 'pipeline_not_found'],
  ])('answers %s with %d', async (query, status, code) => {
    expect(await read(query)).toMatchObject({ status, code });
  });

  it('shows a limited key the jobs that it may see, and no other', async () => {
    const key = { name: 'orders', scopes: ['definitions:read'], streams: ['orders'] };
    const { key: secret } = (await post('/api/v1/keys', key)) as { key: string };
    const { jobs } = await read('', secret);
    expect(jobs.map(({ job }) => job)).toEqual(['projection:of-orders']);
    expect(await read('?job=projection:of-secret', secret)).toMatchObject({ code: 'projection_not_found' });
    expect(await read('?job=materializer', secret)).toMatchObject({ code: 'stream_forbidden' });
  });
});

/** Returns the values that were measured. */
function measured(values: readonly (number | null)[] = []): number[] {
  return values.filter((value) => value !== null);
}

async function post(url: string, payload: object): Promise<unknown> {
  const answer = await gateway.core.instance.inject({ method: 'POST', url, payload });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

async function read(query: string, key?: string): Promise<JobHistoryAnswer> {
  const port = key === undefined ? gateway.core : gateway.query;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await port.instance.inject({ url: `/api/v1/job-history${query}`, headers });
  return answer.json();
}
