import { describe, expect, it } from 'vitest';
import { expectProblem, path, queryEvents, timePattern, type Parameters, type ReadEvent } from '../api.js';
import { sixtyEvents, system } from './system.js';

const { orders, users, odd, all } = sixtyEvents;

const byTimeThenLog = (a: ReadEvent, b: ReadEvent) =>
  a.timestamp.localeCompare(b.timestamp) || a.partition - b.partition || a.offset - b.offset;
const ids = (events: readonly ReadEvent[]) => events.map(({ event_id }) => event_id);

describe.each(['core', 'query'] as const)('GET /api/v1/events/query on the %s port', (port) => {
  const client = () => system()[port];

  it('returns all events by time, then in log order', () => {
    expect(all).toHaveLength(60);
    expect(all.map(({ timestamp }) => timestamp)).toEqual(all.map(({ timestamp }) => timestamp).sort());
    for (const stream of [orders, users, odd]) {
      const one = all.filter((event) => event.stream === stream);
      expect(ids(one)).toEqual(ids([...one].sort(byTimeThenLog)));
    }
    for (const { ingested_at } of all) expect(ingested_at).toMatch(timePattern);
  });

  const cases: [string, Parameters, (event: ReadEvent) => boolean][] = [
    ['a stream', { stream: orders }, (e) => e.stream === orders],
    ['several streams', { stream: [orders, users] }, (e) => e.stream !== odd],
    ['a type', { event_type: 'order.paid' }, (e) => e.event_type === 'order.paid'],
    [
      'several types',
      { event_type: ['order.paid', 'user.seen'] },
      (e) => ['order.paid', 'user.seen'].includes(e.event_type),
    ],
    ['an entity', { entity_id: 'e1' }, (e) => e.entity_id === 'e1'],
    [
      'several entities in a stream',
      { stream: users, entity_id: ['e1', 'e2'] },
      (e) => e.stream === users && ['e1', 'e2'].includes(e.entity_id ?? ''),
    ],
    [
      'the start of the type, `.` and `_` taken as they are',
      { event_type_prefix: 'order.' },
      (e) => e.event_type.startsWith('order.'),
    ],
    [
      'since, inclusive',
      { since: '2026-03-01T02:00:00.000001Z' },
      (e) => e.timestamp >= '2026-03-01T02:00:00.000001Z',
    ],
    [
      'until, exclusive',
      { until: '2026-03-01T02:00:00.000001Z' },
      (e) => e.timestamp < '2026-03-01T02:00:00.000001Z',
    ],
    [
      'a range given in another offset',
      { since: '2026-03-01T02:00:00+01:00', until: '2026-03-01T03:00:00+01:00' },
      (e) => e.timestamp >= '2026-03-01T01' && e.timestamp < '2026-03-01T02',
    ],
    [
      'all of them together',
      {
        stream: orders,
        event_type: 'order.placed',
        entity_id: ['e1', 'e2', 'e3'],
        since: '2026-03-01T01:00:00Z',
      },
      (e) =>
        e.stream === orders &&
        e.event_type === 'order.placed' &&
        e.entity_id !== null &&
        e.entity_id < 'e4' &&
        e.timestamp >= '2026-03-01T01',
    ],
    [
      'a number that may have a fraction',
      { where: 'event.data.amount * 2 > 10' },
      (e) => Number(e.data.amount) * 2 > 10,
    ],
    [
      'an equal number, however it is written',
      { where: 'event.data.amount == 5.0' },
      (e) => e.data.amount === 5,
    ],
    [
      'text with a quote',
      { where: 'event.data.customer == "o\'brien" && event.metadata.source == "web"' },
      (e) => e.data.customer === "o'brien" && e.metadata.source === 'web',
    ],
    [
      'fields of the event itself',
      { where: 'event.entity_id == "e2" || event.event_type.startsWith("user.")' },
      (e) => e.entity_id === 'e2' || e.event_type.startsWith('user.'),
    ],
    [
      'a missing field by has',
      { where: 'has(event.data.extra) && event.data.extra.deep >= 21' },
      (e) => Number((e.data.extra as { deep: number } | undefined)?.deep) >= 21,
    ],
    [
      'a list of values',
      { where: 'event.data.n in [1, 3, 59]' },
      (e) => [1, 3, 59].includes(Number(e.data.n)),
    ],
    ['a negation', { where: '!(event.stream == "' + orders + '")' }, (e) => e.stream !== orders],
  ];

  it.each(cases)('filters by %s', async (_name, parameters, keep) => {
    const page = await queryEvents(client(), parameters, { limit: '1000' });
    expect(ids(page.events).sort()).toEqual(ids(all.filter(keep)).sort());
    expect(page).toMatchObject({ count: page.events.length, has_more: false });
    const counted = await client().get(path('/api/v1/events/count', parameters));
    expect(counted.json(), counted.text).toMatchObject({ total: page.events.length });
  });

  it('treats a missing stream as an error, not as a stream without events', async () => {
    for (const route of ['/api/v1/events/query', '/api/v1/events/count']) {
      const answer = await client().get(path(route, { stream: [orders, 'nobody-made-this'] }));
      const problem = expectProblem(answer, 'stream_not_found');
      expect(problem.errors).toEqual([{ pointer: 'stream', detail: 'there is no stream nobody-made-this' }]);
    }
    const entities = await client().get(path('/api/v1/entities', { stream: 'nobody-made-this' }));
    expectProblem(entities, 'stream_not_found');
  });

  it.each<[string, Parameters, string]>([
    ['an impossible date', { since: '2026-02-30T00:00:00Z' }, 'since'],
    ['a date without an offset', { until: '2026-02-01T00:00:00' }, 'until'],
    ['since after until', { since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' }, 'since'],
    ['an order that there is not', { order: 'up' }, 'order'],
    ['a stream name that cannot be', { stream: 'a/b' }, 'stream'],
    ['two values of since', { since: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'] }, 'since'],
    ['a position without an offset', { wait_for: 'orders:1' }, 'wait_for'],
    ['a negative position', { wait_for: 'orders:0:-1' }, 'wait_for'],
    ['an empty type', { event_type: '' }, 'event_type'],
  ])('refuses %s', async (_name, parameters, pointer) => {
    const problem = expectProblem(
      await client().get(path('/api/v1/events/query', parameters)),
      'invalid_request',
    );
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each([
    'event.',
    '1 +',
    'nothing == 1',
    'event.nothing == 1',
    'size(event.data) > now()',
    '"a" * 2 == 3',
    'x'.repeat(5000),
  ])('refuses the expression %s', async (where) => {
    const answer = await client().get(path('/api/v1/events/query', { where }));
    const shown = `${where.slice(0, 40)}: ${answer.status} ${answer.text}`;
    expect(answer.status, shown).toBe(400);
    expect(answer.json().code, shown).toBeOneOf(['invalid_expression', 'invalid_request']);
  });
});
