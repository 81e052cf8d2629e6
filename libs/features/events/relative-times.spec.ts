import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseTime } from '#json';
import { parseQuery } from '#http';
import { instantPrefix, resumedRange } from '#gateway-kit';
import { systemActor } from '#registry';
import { rowBatchesOf } from '../../core/store/row-batch/row-batches-of.fixture.js';
import { eventRow, givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { EventSelectionParameters } from './event-parameters.js';

interface Page {
  events: { offset: number }[];
  next_cursor: string | null;
  errors?: { pointer: string; detail: string }[];
}

let gateway: GivenGateway;

beforeAll(async () => {
  gateway = await givenGateway();
  await gateway.definitions.createStream({ stream: 'orders' }, systemActor);
  // The event with the offset n happened n seconds after 04:00:00.
  const rows = Array.from({ length: 10 }, (_, offset) => eventRow({ offset }));
  await gateway.store.writer.appendRowBatches(rowBatchesOf(rows), 'token');
});
afterAll(() => gateway.close());
afterEach(() => void vi.useRealTimers());

const nowIs = (time: string) => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) });
const get = async (path: string) => {
  const answer = await gateway.core.instance.inject({ url: `/api/v1/${path}` });
  return { status: answer.statusCode, headers: answer.headers, ...answer.json<Page>() };
};
const offsets = ({ events }: Page) => events.map(({ offset }) => offset);

describe('a relative time', () => {
  it.each([
    ['since=-5s', [5, 6, 7, 8, 9]],
    ['until=-5s', [0, 1, 2, 3, 4]],
    ['since=-1h&until=now', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['since=2026-11-21T04:00:02Z&until=-6s', [2, 3]],
    ['since=now', []],
  ])('counts from the arrival of the request: %s', async (range, expected) => {
    nowIs('2026-11-21T04:00:10Z');
    expect(offsets(await get(`events/query?${range}`))).toEqual(expected);
  });

  it.each([
    'events/query?since',
    'events/count?until',
    'events/export?since',
    'events/stream?until',
    'dead-letters?since',
    'entities/order-1/state?stream=orders&as_of',
  ])('is refused if it is not one, with a 400 that says how it is written: %s', async (parameter) => {
    const pointer = /(\w+)$/.exec(parameter)![1];
    const wrong = [
      '-15x',
      '--15m',
      '%2B15m',
      '+15m',
      '15m',
      '-0m',
      '-1.5h',
      '-',
      '-99999999d',
      '-9e9d',
      'NOW',
    ];
    for (const text of wrong) {
      const { status, errors } = await get(`${parameter}=${text}`);
      expect([status, errors?.map((error) => error.pointer)], text).toEqual([400, [pointer]]);
      expect(errors?.[0]?.detail).toContain('now, -15m, -1h or -7d');
    }
  });

  it('is accepted by a count, a state, an export and a list of dead letters', async () => {
    nowIs('2026-11-21T04:00:10Z');
    const counted = await gateway.core.instance.inject({ url: '/api/v1/events/count?since=-3s' });
    expect(counted.json()).toMatchObject({ total: 3 });
    for (const path of [
      'entities/order-1/state?stream=orders&as_of=-1s',
      'events/export?since=-3s',
      'dead-letters?since=-7d&until=now',
    ])
      expect((await gateway.core.instance.inject({ url: `/api/v1/${path}` })).statusCode, path).toBe(200);
  });

  it('refuses a range that ends before it begins', async () => {
    expect(await get('events/query?since=-1m&until=-2m')).toMatchObject({ status: 400 });
  });
});

describe('a cursor', () => {
  it('holds the instant: later pages have the range of the first one', async () => {
    nowIs('2026-11-21T04:00:10Z');
    const query = 'events/query?since=-5s&until=now&limit=2';
    const first = await get(query);
    nowIs('2026-11-21T04:30:00Z');
    const second = await get(`${query}&cursor=${first.next_cursor}`);
    const third = await gateway.core.instance.inject({
      url: /^<(.+)>; rel="next"$/.exec(String(second.headers.link))![1]!,
    });
    expect([first, second, third.json<Page>()].map(offsets)).toEqual([[5, 6], [7, 8], [9]]);
  });

  it('of dead letters holds the instant, too', async () => {
    const letter = {
      source: 'materializer',
      stream: 'orders',
      partition: 0,
      reason: 'unreadable',
      error: 'no',
      event: 'x',
    };
    await gateway.store.writer.appendDeadLetters(
      [1, 2, 3].map((offset) => ({
        ...letter,
        offset,
        created_at: parseTime(`2026-11-21T0${offset}:00:00Z`)!,
      })),
    );
    nowIs('2026-11-21T04:00:00Z');
    const query = 'dead-letters?since=-2h&limit=1';
    const first = await get(query);
    nowIs('2026-11-21T05:00:00Z');
    const second = await get(`${query}&cursor=${first.next_cursor}`);
    expect([first, second]).toMatchObject([
      { dead_letters: [{ offset: 3 }], next_cursor: expect.any(String) as string },
      { dead_letters: [{ offset: 2 }], next_cursor: null },
    ]);
  });

  it('of another relative time, or with another instant, is refused', async () => {
    nowIs('2026-11-21T04:00:10Z');
    const { next_cursor: cursor } = await get('events/query?since=-5s&limit=2');
    for (const wrong of [
      `since=-6s&cursor=${cursor}`,
      `since=-5s&cursor=1${cursor}`,
      `since=-5s&cursor=zzzzzzzzzzz~x`,
    ])
      expect(await get(`events/query?${wrong}&limit=2`), wrong).toMatchObject({
        status: 400,
        code: 'invalid_cursor',
      });
  });

  it('of a request without relative times has no instant', async () => {
    const { next_cursor: cursor } = await get('events/query?since=2026-11-21T04:00:00Z&limit=2');
    expect(cursor).not.toContain('~');
    const foreign = await get(`events/query?since=2026-11-21T04:00:00Z&limit=2&cursor=zzz~${cursor}`);
    expect(foreign).toMatchObject({ status: 400, code: 'invalid_cursor' });
  });
});

describe('the id of a live stream', () => {
  it('holds the instant: the resumed stream has the range of the first one', () => {
    const sent = { since: '-15m', until: '2027-01-01T00:00:00Z' };
    nowIs('2026-11-21T04:00:00Z');
    const { filter } = parseQuery(EventSelectionParameters, sent);
    const id = `${instantPrefix(sent, filter)}binding.offsets`;
    nowIs('2026-11-21T05:00:00Z');
    const { filter: later } = parseQuery(EventSelectionParameters, sent);
    const range = resumedRange(sent, later, id);
    expect(range).toEqual({
      since: parseTime('2026-11-21T03:45:00Z'),
      until: parseTime('2027-01-01T00:00:00Z'),
    });
    expect(instantPrefix(sent, range)).toBe(instantPrefix(sent, filter));
  });
});
