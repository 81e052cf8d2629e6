import { describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { systemActor } from '#registry';
import { SubscriptionGatewayFixture, path, spec } from './subscription-gateway.fixture.js';

const given = new SubscriptionGatewayFixture();

/** The members of a problem that the specs read. */
interface Problem {
  code: string;
  detail: string;
  errors: { pointer: string; detail: string }[];
}

async function expectRejected(more: object, code: string, pointers: string[]): Promise<Problem> {
  const answer = await given.put(more);
  const problem = answer.json<Problem>();
  expect([problem.code, problem.errors?.map(({ pointer }) => pointer)], answer.body).toEqual([
    code,
    pointers,
  ]);
  expect(given.definition?.version ?? 1).toBe(1);
  return problem;
}

describe('a new subscription', () => {
  it('is created by a PUT, with its defaults filled in', async () => {
    const answer = await given.put();
    expect([answer.statusCode, answer.headers.location]).toEqual([201, given.at()]);
    const expected = {
      ...{ name: given.name, version: 1, status: 'running', failure: null },
      ...{ source: { streams: ['orders'] }, from: 'now', order: 'entity', parked_blocks: true },
      ...{ ack_within: '30s', max_outstanding: 1000 },
      retry: { attempts: 8, backoff: { first: '1s', factor: 4, most: '1h' } },
      created_at: given.definition?.created_at,
    };
    expect(answer.json()).toEqual(expected);
    const stats = { outstanding: 0, retrying: 0, waiting: 0, parked: 0, lag: 0, oldest_outstanding_at: null };
    expect(await given.get()).toEqual({ ...expected, ...stats });
    const { source, from, order, parked_blocks, ack_within, retry, max_outstanding } = expected;
    const stored = { source, from, order, parked_blocks, ack_within, retry, max_outstanding };
    expect(given.definition?.spec).toEqual(stored);
  });

  it('keeps the members that the request gives, and fills in those that it leaves out or that are null', async () => {
    const source = { streams: ['orders'], event_types: ['order.placed'], where: 'event.data.amount > 1.0' };
    await given.put({
      source,
      order: 'none',
      retry: { attempts: 2, backoff: { most: '1d' } },
      ack_within: null,
    });
    expect(given.definition?.spec).toMatchObject({
      ...{ source, order: 'none', ack_within: '30s' },
      retry: { attempts: 2, backoff: { first: '1s', factor: 4, most: '1d' } },
    });
  });

  it('has a key for its tokens that no answer and no audit event contains', async () => {
    const answer = await given.put();
    const { token_key } = given.definition!;
    expect(Buffer.from(token_key, 'base64url')).toHaveLength(32);
    const list = await given.send('GET', path);
    for (const { body } of [answer, await given.send('GET', given.at()), list]) {
      expect(body).toContain(given.name);
      expect(body).not.toContain(token_key);
      expect(body).not.toContain('token_key');
    }
    await given.send('DELETE', given.at());
    await given.put();
    expect(given.definition?.token_key).not.toBe(token_key);
  });

  it('binds its streams to their ids', async () => {
    await given.put({ source: { streams: ['orders', 'refunds'] }, from: 'beginning' });
    const { run } = given.definition!;
    const id = (stream: string) => ({ id: given.gateway.definitions.stream(stream)?.id });
    expect(run).toMatchObject({ sources: { orders: id('orders'), refunds: id('refunds') } });
    expect(run.id).toMatch(/^[0-9a-f]{24}$/);
    expect(run.sources['orders']?.starts).toBeUndefined();
  });

  it('may have its own name in the body, and no other one', async () => {
    expect((await given.put({ name: given.name })).statusCode).toBe(201);
    await expectRejected({ name: 'other' }, 'invalid_request', ['/name']);
    const other = await given.send('PUT', `${path}/a.b`, { payload: spec });
    expect(other.json()).toMatchObject({ code: 'invalid_request', errors: [{ pointer: 'name' }] });
  });

  it('cannot be created by a POST, and cannot be reset', async () => {
    await given.put();
    const payload = { name: 'other', ...spec };
    expect((await given.send('POST', path, { payload })).statusCode).toBe(405);
    expect((await given.send('POST', given.at('/reset'))).statusCode).toBe(404);
  });

  it.each<[object, string[]]>([
    [{ colour: 'red' }, ['/colour']],
    [{ push: { url: 'https://example.com' } }, ['/push']],
    [{ source: undefined }, ['/source']],
    [{ source: { streams: [] } }, ['/source/streams']],
    [{ source: { streams: ['orders'], idle_after: '1m' } }, ['/source/idle_after']],
    [{ from: 'yesterday' }, ['/from']],
    [{ from: 5 }, ['/from']],
    [{ from: '2199-01-01T00:00:00Z' }, ['/from']],
    [{ order: 'any' }, ['/order']],
    [{ parked_blocks: 'yes' }, ['/parked_blocks']],
    [{ ack_within: '0s' }, ['/ack_within']],
    [{ ack_within: '61m' }, ['/ack_within']],
    [{ ack_within: 30 }, ['/ack_within']],
    [{ retry: { attempts: 0 } }, ['/retry/attempts']],
    [{ retry: { attempts: 101 } }, ['/retry/attempts']],
    [{ retry: { times: 3 } }, ['/retry/times']],
    [{ retry: { backoff: { factor: 0.5 } } }, ['/retry/backoff/factor']],
    [{ retry: { backoff: { factor: 11 } } }, ['/retry/backoff/factor']],
    [{ retry: { backoff: { first: 'soon' } } }, ['/retry/backoff/first']],
    [{ retry: { backoff: { first: '2h' } } }, ['/retry/backoff/first']],
    [{ retry: { backoff: { most: '25h' } } }, ['/retry/backoff/most']],
    [{ max_outstanding: 0 }, ['/max_outstanding']],
    [{ max_outstanding: 10_001 }, ['/max_outstanding']],
  ])('with %j is rejected, and the problem names where: %j', async (more, pointers) => {
    await expectRejected(more, 'invalid_request', pointers);
    expect(given.definition).toBeUndefined();
  });

  it('accepts the limits of every member', async () => {
    for (const more of [
      {
        ack_within: '1s',
        max_outstanding: 1,
        retry: { attempts: 1, backoff: { first: '1s', factor: 1, most: '1s' } },
      },
      {
        ack_within: '1h',
        max_outstanding: 10_000,
        retry: { attempts: 100, backoff: { factor: 10, most: '1d' } },
      },
    ]) {
      const answer = await given.put(more);
      expect(answer.json(), answer.body).toMatchObject(more);
    }
  });

  it('with a `where` that does not compile is rejected as in a projection', async () => {
    const where = 'event.data.amount >';
    const { errors } = await expectRejected(
      { source: { streams: ['orders'], where } },
      'invalid_expression',
      ['/source/where'],
    );
    const projection = {
      name: given.name,
      source: { streams: ['orders'], where },
      fields: { n: { op: 'count' } },
    };
    const other = await given.send('POST', '/api/v1/projections', { payload: projection });
    expect(other.json<Problem>().errors).toEqual(errors);
  });

  it('with an unknown stream is rejected, and the problem names it', async () => {
    const { errors } = await expectRejected(
      { source: { streams: ['orders', 'oders'] } },
      'stream_not_found',
      ['/source/streams/1'],
    );
    expect(errors[0]?.detail).toContain('oders');
  });
});

describe('the start of a subscription', () => {
  const topic = () => given.gateway.topicOf('refunds');
  const refunds = { source: { streams: ['refunds'] } };
  const starts = () => given.definition?.run.sources['refunds']?.starts;

  async function appended(): Promise<number[]> {
    const producer = await given.gateway.log.producer();
    await producer.append([0, 1].map((partition) => ({ topic: topic(), partition, key: 'a', value: '{}' })));
    return (await given.gateway.log.admin.offsets(topic())).map(({ end }) => end);
  }

  it('is the ends of its streams by default', async () => {
    const ends = await appended();
    await given.put(refunds);
    expect(starts()).toEqual(ends);
  });

  it('is the first events that arrived at an instant or later, which is stored as an absolute time', async () => {
    await appended();
    await given.put({ ...refunds, from: '-1h' });
    const [beginning] = await given.gateway.log.admin.offsets(topic());
    expect(starts()).toEqual([beginning!.beginning, beginning!.beginning]);
    const { from } = await given.get();
    expect(from).toMatch(/^\d{4}-.*Z$/);
    expect(Math.abs(Date.now() - 3_600_000 - parseTime(String(from))! / 1000)).toBeLessThan(60_000);
  });

  it('is stored in UTC, so that the same instant in another zone is the same start', async () => {
    expect((await given.put({ ...refunds, from: '2020-01-01T02:00:00+02:00' })).statusCode).toBe(201);
    expect(await given.get()).toMatchObject({ from: '2020-01-01T00:00:00.000000Z' });
    expect((await given.put({ ...refunds, from: '2020-01-01T00:00:00Z' })).statusCode).toBe(200);
  });

  it('that is before the beginning of the log is rejected with the time to which the log reaches back', async () => {
    const stream = given.name;
    await given.gateway.definitions.createStream({ stream, partitions: 1 }, systemActor);
    const ofStream = given.gateway.topicOf(stream);
    const producer = await given.gateway.log.producer();
    for (let i = 0; i < 2; i++)
      await producer.append([{ topic: ofStream, partition: 0, key: 'a', value: '{}' }]);
    given.gateway.log.topics.get(ofStream)!.truncate(0, 1);
    const source = { streams: [stream] };
    const { errors } = await expectRejected({ source, from: '-1h' }, 'invalid_request', ['/from']);
    expect(errors[0]?.detail).toMatch(
      new RegExp(`^the log of ${stream} reaches back to \\d{4}-[^;]+Z; \`beginning\` reads everything`),
    );
    const later = /back to (\S+);/.exec(errors[0]!.detail)![1]!;
    await expect.poll(() => Date.now() * 1000, { timeout: 3000 }).toBeGreaterThan(parseTime(later)!);
    expect((await given.put({ source, from: later })).statusCode).toBe(201);
  });
});

describe('a subscription that exists', () => {
  it('is changed by a PUT: a new version of the same run', async () => {
    await given.put();
    await given.changed((current) => ({ ...current, failure: 'why' }));
    const before = given.definition!;
    const answer = await given.put({ ack_within: '1m' });
    expect([answer.statusCode, answer.headers.location]).toEqual([200, undefined]);
    expect(answer.json()).toMatchObject({ version: 2, ack_within: '1m', status: 'running', failure: null });
    const spec = { ...before.spec, ack_within: '1m' };
    expect(given.definition).toEqual({ ...before, version: 2, spec, failure: null });
  });

  it('is not changed by the same definition, whatever the order of its streams and types', async () => {
    const [streams, event_types] = [
      ['orders', 'refunds'],
      ['a', 'b'],
    ];
    await given.put({ source: { streams, event_types } });
    const before = given.definition;
    const source = { streams: streams.toReversed(), event_types: event_types.toReversed() };
    expect((await given.put({ source, order: 'entity' })).statusCode).toBe(200);
    expect(given.definition).toBe(before);
  });

  it.each<[string, object]>([
    ['/source', { source: { streams: ['orders', 'refunds'] } }],
    ['/source', { source: { streams: ['orders'], event_types: ['a'] } }],
    ['/source', { source: { streams: ['orders'], where: 'true' } }],
    ['/from', { from: 'beginning' }],
    ['/from', { from: '-1h' }],
  ])('keeps its source and its start: another %s is a 409, %j', async (pointer, more) => {
    await given.put();
    const before = given.definition;
    const { detail } = await expectRejected(more, 'subscription_source_fixed', [pointer]);
    expect(detail).toContain('make a new one');
    expect(given.definition).toBe(before);
  });

  it('is paused and resumed; repeating either changes nothing', async () => {
    await given.put();
    for (const [action, status] of [
      ['pause', 'paused'],
      ['resume', 'running'],
    ] as const) {
      const answer = await given.send('POST', given.at(`/${action}`));
      expect([answer.statusCode, answer.json<{ status: string }>().status]).toEqual([200, status]);
      const before = given.definition;
      await given.send('POST', given.at(`/${action}`));
      expect(given.definition).toBe(before);
    }
  });

  it('that has failed says why, paused or not, until it is resumed', async () => {
    await given.put();
    await given.changed((current) => ({ ...current, paused: true, failure: 'why' }));
    expect(await given.get()).toMatchObject({ status: 'failed', failure: 'why' });
    const answer = await given.send('POST', given.at('/resume'));
    expect(answer.json()).toMatchObject({ status: 'running', failure: null, version: 1 });
  });

  it('is deleted', async () => {
    await given.put();
    expect((await given.send('DELETE', given.at())).statusCode).toBe(204);
    expect(given.definition).toBeUndefined();
    expect((await given.send('DELETE', given.at())).statusCode).toBe(404);
  });
});

it.each<['GET' | 'DELETE' | 'POST', string]>([
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/pause'],
  ['POST', '/resume'],
])('a subscription that does not exist is a 404 for %s %s', async (method, part) => {
  const answer = await given.send(method, given.at(part));
  expect([answer.statusCode, answer.json<Problem>().code]).toEqual([404, 'subscription_not_found']);
});

describe('the list of subscriptions', () => {
  it('has them sorted by name, in pages, with their total number', async () => {
    for (const name of ['z', 'y', 'x']) await given.send('PUT', `${path}/${name}`, { payload: spec });
    const all = given.gateway.definitions.subscriptions.all().map(({ name }) => name);
    interface List {
      subscriptions: { name: string }[];
      total: number;
      next_cursor: string | null;
    }
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page: List = (await given.send('GET', `${path}?limit=2${more}`)).json<List>();
      expect(page.total).toBe(all.length);
      names.push(...page.subscriptions.map(({ name }) => name));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(names).toEqual(all.sort());
    expect(names.length).toBeGreaterThan(2);
  });
});
