import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ProblemDocument } from '#api';
import { generateKey } from '#http';
import { givenGateway, type GivenGateway } from '../../../apps/gateway/src/gateway.fixture.js';

interface KeyAnswer {
  key_id: string;
  key: string;
  status: string;
  expires_at: string | null;
  overlap_until: string | null;
  revoked_at: string | null;
}
interface KeyPage {
  keys: Record<string, unknown>[];
  total: number;
  next_cursor: string | null;
}

let gateway: GivenGateway;
beforeAll(async () => void (gateway = await givenGateway()));
afterAll(() => gateway.close());
afterEach(() => void vi.useRealTimers());

type Port = 'core' | 'query';
const inject = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  more: { payload?: object | string; bearer?: string; port?: Port } = {},
) => {
  const { payload, bearer = gateway.bearer.admin, port = 'query' } = more;
  const headers = {
    authorization: bearer,
    ...(payload !== undefined && { 'content-type': 'application/json' }),
  };
  return gateway[port].instance.inject({
    method,
    url,
    headers,
    ...(payload !== undefined && {
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    }),
  });
};
const path = '/api/v1/keys';
const issue = async (more: object = {}, port: Port = 'query') => {
  const payload = { name: 'shop', scopes: ['events:read'], ...more };
  const answer = await inject('POST', path, { payload, port });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<KeyAnswer>();
};
/** Returns the status of reading streams with this key. */
const use = async (key: string) =>
  (await inject('GET', '/api/v1/streams', { bearer: `Bearer ${key}` })).statusCode;

describe('an issued key', () => {
  it('is refused after five minutes without Kafka, in contrast to a configured key', async () => {
    const { key } = await issue();
    const age = vi.spyOn(gateway.definitions, 'ageMs', 'get');
    age.mockReturnValue(300_000);
    expect(await use(key)).toBe(200);
    age.mockReturnValue(300_001);
    const headers = { authorization: `Bearer ${key}` };
    const refused = await gateway.query.instance.inject({ url: '/api/v1/streams', headers });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.json()).toMatchObject({ code: 'log_unavailable' });
    const configured = { authorization: gateway.bearer['events:read'] };
    const answer = await gateway.query.instance.inject({ url: '/api/v1/streams', headers: configured });
    expect(answer.statusCode).toBe(200);
    age.mockRestore();
    expect(await use(key)).toBe(200);
  });
});

describe('issuing a key', () => {
  it('returns its text only once, and the key is valid at once', async () => {
    const answer = await inject('POST', path, {
      payload: {
        name: 'web shop',
        scopes: ['events:read', 'events:write'],
        streams: ['orders', 'web.*'],
        expires_at: '2099-01-01T00:00:00+01:00',
        rate_limit: { events_per_second: 1000 },
      },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { key, ...shown } = answer.json<KeyAnswer>();
    expect(answer.headers.location).toBe(`${path}/${shown.key_id}`);
    expect(shown).toEqual({
      key_id: expect.stringMatching(/^[a-z0-9]{12}$/) as string,
      name: 'web shop',
      status: 'active',
      scopes: ['events:read', 'events:write'],
      streams: ['orders', 'web.*'],
      rate_limit: { events_per_second: 1000 },
      created_at: expect.stringMatching(/Z$/) as string,
      expires_at: '2098-12-31T23:00:00.000000Z',
      rotated_at: null,
      overlap_until: null,
      revoked_at: null,
    });
    expect(key).toMatch(new RegExp(`^trb_${shown.key_id}_[A-Za-z0-9]{40}_[0-9a-f]{6}$`));
    expect(await use(key)).toBe(200);
    expect((await inject('GET', `${path}/${shown.key_id}`)).json()).toEqual(shown);
  });

  it('makes it valid on both ports', async () => {
    const { key } = await issue({}, 'core');
    expect(await use(key)).toBe(200);
  });

  it('gives each key its own text, whatever its name', async () => {
    const [one, two] = [await issue(), await issue()];
    expect(one.key).not.toBe(two.key);
    expect(one.key_id).not.toBe(two.key_id);
  });

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, '/name'],
    ['an empty name', { name: '' }, '/name'],
    ['a long name', { name: 'x'.repeat(101) }, '/name'],
    ['a name with a line break', { name: 'a\nb' }, '/name'],
    ['no scopes', { scopes: undefined }, '/scopes'],
    ['an empty list of scopes', { scopes: [] }, '/scopes'],
    ['an unknown scope', { scopes: ['events:read', 'root'] }, '/scopes'],
    ['a scope twice', { scopes: ['admin', 'admin'] }, '/scopes'],
    ['a text for the scopes', { scopes: 'admin' }, '/scopes'],
    ['an empty list of streams', { streams: [] }, '/streams'],
    ['a pattern with * inside', { streams: ['a*b'] }, '/streams'],
    ['a pattern with two *', { streams: ['a**'] }, '/streams'],
    ['a name that no stream has', { streams: ['a/b'] }, '/streams'],
    ['a number among the streams', { streams: [1] }, '/streams'],
    ['101 streams', { streams: Array.from({ length: 101 }, (_, i) => `s${i}`) }, '/streams'],
    ['an end that has passed', { expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ['an end that is no time', { expires_at: 'tomorrow' }, '/expires_at'],
    ['an end that is a number', { expires_at: 4_102_444_800 }, '/expires_at'],
    ['an empty limit', { rate_limit: {} }, '/rate_limit'],
    ['a limit that is a number', { rate_limit: 5 }, '/rate_limit'],
    ['a limit of nothing', { rate_limit: { events_per_second: 0 } }, '/rate_limit/events_per_second'],
    ['half a request', { rate_limit: { requests_per_second: 0.5 } }, '/rate_limit/requests_per_second'],
    ['an unknown limit', { rate_limit: { events_per_second: 1, bytes: 1 } }, '/rate_limit/bytes'],
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a secret of the own choice', { key: 'hunter2' }, '/key'],
  ])('refuses a body with %s', async (_case, more, pointer) => {
    const payload = { name: 'shop', scopes: ['events:read'], ...more };
    const answer = await inject('POST', path, { payload });
    expect(answer.statusCode).toBe(400);
    const problem = answer.json<ProblemDocument>();
    expect(problem.code).toBe('invalid_request');
    expect(problem.errors?.map((error) => error.pointer)).toContain(pointer);
  });

  it('accepts null for optional members, and * for every stream', async () => {
    const nothing = { streams: null, expires_at: null, rate_limit: null };
    expect(await issue(nothing)).toMatchObject(nothing);
    expect(await issue({ streams: ['*'] })).toMatchObject({ streams: ['*'] });
  });

  it('refuses a body that is not a JSON object', async () => {
    for (const payload of ['', '[]', 'null', '{"name":']) {
      expect((await inject('POST', path, { payload })).statusCode).toBe(400);
    }
  });
});

describe('listing keys', () => {
  it('shows neither texts nor hashes, and no configured keys', async () => {
    const issued = await issue();
    const answer = await inject('GET', `${path}?limit=1000`);
    const { keys, total } = answer.json<KeyPage>();
    expect(keys).toHaveLength(total);
    expect(keys.map(({ key_id }) => key_id)).toContain(issued.key_id);
    expect(answer.body).not.toMatch(/trb_|sha256|secret|[0-9a-f]{64}/);
    const { key: _key, ...shown } = issued;
    expect(keys.find(({ key_id }) => key_id === issued.key_id)).toEqual(shown);
  });

  it('returns all keys page by page', async () => {
    for (let i = 0; i < 5; i++) await issue();
    const { total } = (await inject('GET', path)).json<KeyPage>();
    const seen: unknown[] = [];
    let cursor: string | null = null;
    do {
      const url: string = `${path}?limit=2${cursor ? `&cursor=${cursor}` : ''}`;
      const page: KeyPage = (await inject('GET', url)).json<KeyPage>();
      seen.push(...page.keys.map(({ key_id }) => key_id));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen).toHaveLength(total);
  });

  it('returns an empty list without keys, and 404 for an unknown key', async () => {
    for (const keyId of ['abcdefghijkl', 'x', '..%2F', gateway.bearer.admin.split('_')[1]]) {
      const answer = await inject('GET', `${path}/${keyId}`);
      expect([answer.statusCode, answer.json<ProblemDocument>().code]).toEqual([404, 'key_not_found']);
    }
  });
});

describe('revoking a key', () => {
  it('ends it at once, and succeeds when it is repeated', async () => {
    const { key, key_id } = await issue();
    expect(await use(key)).toBe(200);
    const answer = await inject('DELETE', `${path}/${key_id}`);
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(await use(key)).toBe(401);
    const first = (await inject('GET', `${path}/${key_id}`)).json<KeyAnswer>();
    expect(first).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) as string });
    expect((await inject('DELETE', `${path}/${key_id}`)).statusCode).toBe(204);
    expect((await inject('GET', `${path}/${key_id}`)).json()).toEqual(first);
  });

  it('can be requested with the key itself', async () => {
    const { key, key_id } = await issue({ scopes: ['admin'] });
    const bearer = `Bearer ${key}`;
    expect((await inject('DELETE', `${path}/${key_id}`, { bearer })).statusCode).toBe(204);
    expect((await inject('GET', path, { bearer })).statusCode).toBe(401);
  });

  it('answers 404 for an unknown key', async () => {
    expect((await inject('DELETE', `${path}/abcdefghijkl`)).statusCode).toBe(404);
  });
});

describe('rotating a key', () => {
  const rotate = (keyId: string, payload?: object | string) =>
    inject('POST', `${path}/${keyId}/rotate`, { ...(payload !== undefined && { payload }) });

  it('without an overlap returns a new text and ends the old one', async () => {
    const old = await issue();
    const answer = await rotate(old.key_id);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const rotated = answer.json<KeyAnswer>();
    expect(rotated).toMatchObject({ key_id: old.key_id, status: 'active', overlap_until: null });
    expect(rotated.key).not.toBe(old.key);
    expect([await use(old.key), await use(rotated.key)]).toEqual([401, 200]);
    expect((await rotate(old.key_id, '')).statusCode).toBe(200);
    expect((await rotate(old.key_id, {})).statusCode).toBe(200);
  });

  it('keeps the old text valid for the overlap', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const old = await issue();
    const rotated = (await rotate(old.key_id, { overlap: '2h' })).json<KeyAnswer>();
    const until = new Date(Date.now() + 7_200_000).toISOString();
    expect(rotated.overlap_until).toBe(until.replace('Z', '000Z'));
    expect([await use(old.key), await use(rotated.key)]).toEqual([200, 200]);
    vi.setSystemTime(Date.now() + 7_199_999);
    expect(await use(old.key)).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    expect([await use(old.key), await use(rotated.key)]).toEqual([401, 200]);
  });

  it.each(['31d', '-1h', 'soon', 5, ''])('refuses an overlap of %j', async (overlap) => {
    const { key, key_id } = await issue();
    const answer = await rotate(key_id, { overlap });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<ProblemDocument>().errors?.map((error) => error.pointer)).toEqual(['/overlap']);
    expect(await use(key)).toBe(200);
  });

  it('is refused for keys that are revoked, expired or unknown', async () => {
    const { key_id } = await issue();
    await inject('DELETE', `${path}/${key_id}`);
    const answers = [await rotate(key_id), await rotate('abcdefghijkl')];
    expect(answers.map((answer) => answer.json<ProblemDocument>().code)).toEqual([
      'key_inactive',
      'key_not_found',
    ]);
  });
});

describe('keys that have ended', () => {
  it('are refused from their end on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { key, key_id } = await issue({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    vi.setSystemTime(Date.now() + 59_999);
    expect(await use(key)).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    expect(await use(key)).toBe(401);
    expect((await inject('GET', `${path}/${key_id}`)).json<KeyAnswer>().status).toBe('expired');
  });

  it('are removed a week later, when another key is issued', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const revoked = await issue();
    const lasting = await issue();
    await inject('DELETE', `${path}/${revoked.key_id}`);
    vi.setSystemTime(Date.now() + 7 * 86_400_000);
    await issue();
    expect((await inject('GET', `${path}/${revoked.key_id}`)).statusCode).toBe(200);
    vi.setSystemTime(Date.now() + 1);
    // Old keys of the other specs come before this one, and each issued key removes a limited number.
    for (let i = 0; i < 5; i++) await issue();
    expect((await inject('GET', `${path}/${revoked.key_id}`)).statusCode).toBe(404);
    expect(await use(revoked.key)).toBe(401);
    expect(await use(lasting.key)).toBe(200);
  });
});

describe('managing keys', () => {
  const everything = async (bearer: string) => {
    const { key_id } = await issue();
    const answers = [
      await inject('POST', path, { bearer, payload: { name: 'x', scopes: ['admin'] } }),
      await inject('GET', path, { bearer }),
      await inject('GET', `${path}/${key_id}`, { bearer }),
      await inject('POST', `${path}/${key_id}/rotate`, { bearer }),
      await inject('DELETE', `${path}/${key_id}`, { bearer }),
    ];
    return answers.map(({ statusCode }) => statusCode);
  };

  it('needs the scope admin', async () => {
    expect(await everything(gateway.bearer.admin)).toEqual([201, 200, 200, 200, 204]);
    for (const scope of ['events:read', 'events:write', 'definitions:read', 'definitions:write'] as const) {
      expect(await everything(gateway.bearer[scope])).toEqual([403, 403, 403, 403, 403]);
    }
    expect(await everything(`Bearer ${generateKey().key}`)).toEqual([401, 401, 401, 401, 401]);
  });

  it('is refused for an admin key that is limited to streams, which could otherwise issue a key with more access', async () => {
    const { key } = await issue({ scopes: ['admin'], streams: ['orders'] });
    expect(await everything(`Bearer ${key}`)).toEqual([403, 403, 403, 403, 403]);
    expect((await inject('GET', path, { bearer: `Bearer ${key}` })).json<ProblemDocument>().code).toBe(
      'stream_forbidden',
    );
  });
});

describe('rate limits of a key', () => {
  it('apply on the query port, and answers have the remaining quota', async () => {
    const { key } = await issue({ rate_limit: { requests_per_second: 2 } });
    const read = () => inject('GET', '/api/v1/streams', { bearer: `Bearer ${key}` });
    const answers = [await read(), await read(), await read()];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers).toMatchObject({
      'ratelimit-policy': '"requests";q=2;qu="requests";w=1',
      ratelimit: '"requests";r=1;t=1',
    });
    expect(answers[2]?.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"requests";r=0;t=1' });
    expect(answers[2]?.json<ProblemDocument>().code).toBe('too_many_requests');
  });
});

describe('the audit of keys', () => {
  it('names who issued, rotated and revoked a key, and contains no secrets', async () => {
    const { key, key_id } = await issue();
    const rotated = (await inject('POST', `${path}/${key_id}/rotate`)).json<KeyAnswer>();
    await inject('DELETE', `${path}/${key_id}`, { port: 'core' });
    const topic = gateway.log.broker.topics.get(gateway.topicOf('tributary.audit'));
    const records = topic?.partitions.flatMap((partition) => partition.records) ?? [];
    const mine = records.map(({ value }) => String(value)).filter((value) => value.includes(key_id));
    const text = mine.join('\n');
    expect(mine).toHaveLength(3);
    expect(text).not.toContain(key.split('_')[2]);
    expect(text).not.toContain(rotated.key.split('_')[2]);
    for (const type of ['key.created', 'key.rotated', 'key.revoked']) expect(text).toContain(type);
  });
});
