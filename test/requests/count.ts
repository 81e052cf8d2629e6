import { describe, expect, it } from 'vitest';
import { expectProblem, path, type Parameters, type ReadEvent } from '../api.js';
import { sixtyEvents, system } from './system.js';

const { all } = sixtyEvents;

describe.each(['core', 'query'] as const)('GET /api/v1/events/count on the %s port', (port) => {
  const count = async (...parameters: Parameters[]) => {
    const answer = await system()[port].get(path('/api/v1/events/count', ...parameters));
    expect(answer.status, answer.text).toBe(200);
    return answer.json<{
      total: number;
      buckets: {
        start?: string;
        group?: string | null;
        count: number;
        quantiles?: Record<string, number | null>;
      }[];
    }>();
  };
  const tally = (key: (event: ReadEvent) => string | null) => {
    const counts = new Map<string | null, number>();
    for (const event of all) counts.set(key(event), (counts.get(key(event)) ?? 0) + 1);
    return counts;
  };

  it('counts all', async () => {
    expect(await count()).toMatchObject({ total: 60 });
  });

  it.each(['stream', 'event_type', 'entity_id'] as const)('counts by %s', async (group_by) => {
    const { buckets, total } = await count({ group_by });
    expect(new Map(buckets.map(({ group, count: n }) => [group, n]))).toEqual(
      tally((event) => event[group_by]),
    );
    expect(total).toBe(60);
  });

  it('counts by interval, and by both', async () => {
    const hours = await count({ interval: '1h' });
    expect(new Map(hours.buckets.map(({ start, count: n }) => [start!, n]))).toEqual(
      tally(({ timestamp }) => `${timestamp.slice(0, 13)}:00:00.000000Z`),
    );
    const both = await count({ interval: '1h', group_by: 'stream', since: '2026-03-01T01:00:00Z' });
    expect(both.buckets.reduce((sum, { count: n }) => sum + n, 0)).toBe(both.total);
    expect(both.total).toBe(48);
  });

  it('estimates the quantiles of a number of the events', async () => {
    const { buckets } = await count({ quantile: ['0', '1'], value: 'event.offset * 0 + 7' });
    const seven = expect.closeTo(7, 0) as number;
    expect(buckets).toEqual([{ count: 60, quantiles: { 0: seven, 1: seven } }]);
    const none = await count({ quantile: '0.5', value: 'event.data.not_there', group_by: 'stream' });
    for (const { quantiles } of none.buckets) expect(quantiles).toEqual({ 0.5: null });
    expect(none.total).toBe(60);
  });

  it.each([
    ['value', 'event.data[event.stream]'],
    ['value', 'event.stream'],
    ['value', 'event.'],
  ])('names %s for an expression that is no number or has no translation: %s', async (pointer, value) => {
    const answer = await system()[port].get(path('/api/v1/events/count', { quantile: '0.5', value }));
    expect(expectProblem(answer, 'invalid_expression')).toMatchObject({ errors: [{ pointer }] });
  });

  it.each([
    { interval: '0s' },
    { interval: '1 hour' },
    { interval: '-1h' },
    { group_by: 'data' },
    { order: 'asc' },
    { quantile: '1.1', value: 'event.offset' },
    { quantile: '0.5' },
    { value: 'event.offset' },
  ])('refuses %j', async (parameters) => {
    const answer = await system()[port].get(
      path('/api/v1/events/count', parameters as object as Record<string, string>),
    );
    expectProblem(answer, 'invalid_request');
  });
});

describe.each(['core', 'query'] as const)('GET /api/v1/events/{event_id} on the %s port', (port) => {
  it('returns the event like a query does, for an id in upper or lower case', async () => {
    const event = all[7]!;
    for (const id of [event.event_id, event.event_id.toUpperCase()]) {
      const answer = await system()[port].get(`/api/v1/events/${id}`);
      expect(answer.json(), answer.text).toEqual(event);
    }
  });

  it('is 404 for a missing id, and 400 for an invalid one', async () => {
    const absent = await system()[port].get('/api/v1/events/019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11');
    expectProblem(absent, 'event_not_found');
    expectProblem(await system()[port].get('/api/v1/events/17'), 'invalid_request');
  });
});
