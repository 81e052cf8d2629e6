import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#local';
import { AppProcess, HttpClient, until, type HttpAnswer } from '#testkit';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type BatchAnswer,
} from './api.js';
import { useStack } from './use-stack.js';

const system = useStack({ env: { INGEST_REQUIRE_KEYS: 'true', TRUST_PROXY: '127.0.0.1' } });

/** A second gateway beside that of the system; it has no keys in its configuration. */
let second: AppProcess;
let secondQuery: HttpClient;
/** The ports that require keys: of the gateway that issues keys, of the other gateway, and of ingest. */
let doors: Record<'here' | 'there' | 'ingest', HttpClient>;

beforeAll(async () => {
  const { brokers, clickhouseUrl, clickhousePassword, prefix, database, urls } = system();
  const [core, query] = await Promise.all([freePort(), freePort()]);
  second = new AppProcess({
    app: 'gateway',
    name: 'gateway-2',
    probeUrl: `http://127.0.0.1:${core}`,
    env: {
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: prefix,
      CLICKHOUSE_URL: clickhouseUrl,
      CLICKHOUSE_USER: 'tributary',
      CLICKHOUSE_PASSWORD: clickhousePassword,
      CLICKHOUSE_DATABASE: database,
      GATEWAY_CORE_PORT: String(core),
      GATEWAY_QUERY_PORT: String(query),
      TRUST_PROXY: '127.0.0.1',
    },
  });
  secondQuery = new HttpClient(`http://127.0.0.1:${query}`);
  doors = { here: new HttpClient(urls.query), there: secondQuery, ingest: new HttpClient(urls.ingest) };
  await second.launch().ready();
});
afterAll(async () => {
  await Promise.all(Object.values(doors).map((client) => client.close()));
  await second.stop();
  second.discardLog();
});

interface Issued {
  key_id: string;
  key: string;
  status: string;
}

const keys = '/api/v1/keys';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function issue(more: object = {}): Promise<Issued> {
  const body = { name: 'test', scopes: ['events:read', 'events:write'], ...more };
  const answer = await system().query.post(keys, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json<Issued>();
}

let clients = 0;
/** Returns headers of a new client network each time, because a network with many wrong keys is rate-limited. */
const asClient = (key: string) => {
  const network = ++clients;
  return { headers: { ...bearer(key), 'x-forwarded-for': `10.${network >> 8}.${network & 255}.1` } };
};

/** Sends a request to each port that requires one of the two events scopes. */
const doorAnswers: Record<keyof typeof doors, (key: string) => Promise<HttpAnswer>> = {
  here: (key) => doors.here.get('/api/v1/streams', asClient(key)),
  there: (key) => doors.there.get('/api/v1/streams', asClient(key)),
  ingest: (key) => doors.ingest.post('/api/v1/events', '{}', asClient(key)),
};
const doorNames = Object.keys(doorAnswers) as (keyof typeof doors)[];

async function letsIn(door: keyof typeof doors, key: string): Promise<boolean> {
  const { status, text } = await doorAnswers[door](key);
  expect(status, text).toBeOneOf([200, 400, 401]);
  return status !== 401;
}

/** Resolves when every door obeys a change. */
async function untilAll(key: string, wanted: boolean): Promise<void> {
  const obeyed = doorNames.map((door) =>
    until(async () => (await letsIn(door, key)) === wanted, {
      what: `${door} ${wanted ? 'lets the key in' : 'refuses the key'}`,
      patienceMs: 30_000,
      intervalMs: 20,
    }),
  );
  await Promise.all(obeyed);
}

describe('a key', () => {
  it('works at once where it was issued, and then everywhere', async () => {
    const { key } = await issue();
    expect(await letsIn('here', key)).toBe(true);
    await untilAll(key, true);
  });

  it('is refused at once where it was revoked, and then everywhere, while it is in use', async () => {
    for (let round = 0; round < 3; round++) {
      const { key, key_id } = await issue();
      await untilAll(key, true);
      expect((await system().query.send('DELETE', `${keys}/${key_id}`)).status).toBe(204);
      expect(await letsIn('here', key)).toBe(false);
      await untilAll(key, false);
    }
  });

  it('is refused with the same message if it is revoked, expired, rotated out or unknown', async () => {
    const [revoked, expired, rotated, known] = [
      await issue(),
      await issue({ expires_at: new Date(Date.now() + 1_500).toISOString() }),
      await issue(),
      await issue(),
    ];
    // Every instance reads the keys in the order in which they were issued: with the last one it knows the expired one, too.
    for (const { key } of [revoked, rotated, known]) await untilAll(key, true);
    await system().query.send('DELETE', `${keys}/${revoked.key_id}`);
    await system().query.post(`${keys}/${rotated.key_id}/rotate`, '');
    for (const { key } of [revoked, expired, rotated]) await untilAll(key, false);
    const otherSecret = known.key.replace(/_[A-Za-z0-9]{40}_/, `_${revoked.key.split('_')[2]}_`);
    const wrong = [revoked.key, expired.key, rotated.key, otherSecret, known.key.slice(0, -1)];
    for (const door of doorNames) {
      const answers = await Promise.all(wrong.map((key) => doorAnswers[door](key)));
      const shown = answers.map(({ status, text, headers }) => {
        const { request_id: _id, ...problem } = JSON.parse(text) as Record<string, unknown>;
        return JSON.stringify([status, problem, headers['www-authenticate']]);
      });
      expect(new Set(shown).size).toBe(1);
      expectProblem(answers[0]!, 'invalid_token');
      expect(await letsIn(door, known.key)).toBe(true);
    }
  });

  it('keeps its old secret during the overlap of a rotation, on every instance', async () => {
    const old = await issue();
    const rotated = await system().query.post(`${keys}/${old.key_id}/rotate`, { overlap: '1h' });
    const { key } = rotated.json<Issued>();
    await untilAll(key, true);
    for (const door of doorNames) expect(await letsIn(door, old.key), door).toBe(true);
  });

  it('loses its old secret when the overlap of a rotation ends, on every instance', async () => {
    const old = await issue();
    const rotated = await system().query.post(`${keys}/${old.key_id}/rotate`, { overlap: '2s' });
    const { key } = rotated.json<Issued>();
    await untilAll(key, true);
    await untilAll(old.key, false);
    for (const door of doorNames) expect(await letsIn(door, key), door).toBe(true);
  });

  it('is the same everywhere after concurrent changes by two gateways', async () => {
    const admin = await issue({ scopes: ['admin'] });
    const { key_id } = await issue();
    const atBoth = [doors.here, doors.there];
    const url = `${keys}/${key_id}`;
    await until(async () => (await doors.there.get(url, { headers: bearer(admin.key) })).status === 200, {
      what: 'the second gateway knows the key',
    });
    const rotations = await Promise.all(
      atBoth.map((door) => door.post(`${url}/rotate`, { overlap: '1h' }, { headers: bearer(admin.key) })),
    );
    expect(rotations.map(({ status }) => status)).toEqual([200, 200]);
    for (const { key } of rotations.map((answer) => answer.json<Issued>())) await untilAll(key, true);
    await Promise.all(atBoth.map((door) => door.send('DELETE', url, { headers: bearer(admin.key) })));
    for (const { key } of rotations.map((answer) => answer.json<Issued>())) {
      await untilAll(key, false);
    }
  });

  it('still exists, or is still revoked, after a restart', async () => {
    const [kept, revoked] = [await issue(), await issue()];
    await system().query.send('DELETE', `${keys}/${revoked.key_id}`);
    await second.restart('SIGKILL');
    expect([await letsIn('there', kept.key), await letsIn('there', revoked.key)]).toEqual([true, false]);
  });
});

describe('a key that is limited to streams', () => {
  it('writes and reads these streams, and does not see the others', async () => {
    const [mine, theirs] = [freshStream('mine'), freshStream('theirs')];
    const { key } = await issue({ streams: [`${mine}*`] });
    const client = new HttpClient(system().urls.query, { headers: bearer(key) });
    const event = (stream: string) => ({ stream, event_type: 't', data: {} });
    const written = [
      await writeEvent(client, event(mine)),
      await writeEvent(client, event(`${mine}-2`)),
      await writeEvent(system().core, event(theirs)),
    ];
    await queryEvents(system().core, { stream: [mine, `${mine}-2`, theirs] }, waitFor(written));
    expectProblem(await client.post('/api/v1/events', event(theirs)), 'stream_forbidden');
    expectProblem(
      await doors.ingest.post('/api/v1/events', event(theirs), { headers: bearer(key) }),
      'stream_forbidden',
    );
    const seen = await queryEvents(client);
    expect(seen.events.map(({ stream }) => stream).sort()).toEqual([mine, `${mine}-2`]);
    expectProblem(await client.get(path('/api/v1/events/query', { stream: theirs })), 'stream_not_found');
    expect((await client.get(`/api/v1/events/${written[2]?.event_id}`)).status).toBe(404);
    expect((await client.get(`/api/v1/events/${written[0]?.event_id}`)).status).toBe(200);
    // These metrics contain names of streams.
    expectProblem(await client.get('/metrics'), 'stream_forbidden');
    await client.close();
  });
});

describe('the limits of a key', () => {
  const batch = (stream: string, count: number) => ({
    events: Array.from({ length: count }, () => ({ stream, event_type: 't', data: {} })),
  });

  it('apply to its events per second: a large batch is accepted, and creates a debt', async () => {
    const stream = freshStream();
    const { key } = await issue({ rate_limit: { events_per_second: 100 } });
    await untilAll(key, true);
    const useUp = async (client: HttpClient): Promise<void> => {
      const post = (count: number) =>
        client.post('/api/v1/events/batch', batch(stream, count), { headers: bearer(key) });
      // The debt lasts so long that a busy machine sends the next request before its end.
      const taken = await post(1_000);
      expect(taken.json<BatchAnswer>()).toMatchObject({ accepted: 1_000 });
      expect(taken.headers['ratelimit-policy']).toBe('"events";q=100;qu="events";w=1');
      expect(taken.headers.ratelimit).toMatch(/^"events";r=0;t=\d+$/);
      const refused = await post(1);
      expectProblem(refused, 'too_many_requests');
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      await until(async () => (await post(1)).status === 201, {
        what: 'the end of the debt',
        intervalMs: 500,
      });
    };
    await Promise.all([useUp(doors.here), useUp(doors.ingest)]);
    const count = async () => {
      const answer = await system().core.get(path('/api/v1/events/count', { stream }));
      return answer.json<{ total: number }>().total;
    };
    await until(async () => (await count()) === 2_002, {
      what: 'what was taken can be queried',
      progress: count,
    });
  });

  it('apply to its requests per second', async () => {
    const { key } = await issue({ rate_limit: { requests_per_second: 1 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => doorAnswers.here(key)));
    const letIn = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(letIn.length + refused.length).toBe(20);
    expect(letIn).not.toHaveLength(0);
    expect(refused).not.toHaveLength(0);
    for (const answer of refused) {
      expectProblem(answer, 'too_many_requests');
      expect(answer.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"requests";r=0;t=1' });
    }
  });
});

describe('wrong keys', () => {
  const from = (address: string, key: string) =>
    doors.here.get('/api/v1/streams', { headers: { ...bearer(key), 'x-forwarded-for': address } });

  it('are rate-limited when many come from one network, and valid ones are not', async () => {
    let attempts = 0;
    let answer: HttpAnswer;
    do answer = await from(`2001:db8::${attempts++}`, 'x');
    while (answer.status === 401 && attempts < 100);
    expectProblem(answer, 'too_many_requests');
    expect(attempts).toBeGreaterThan(20);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('2001:db8::1', system().key)).status).toBe(200);
    expectProblem(await from('2001:db8:0:1::1', 'x'), 'invalid_token');
  });

  it('are refused in any form, and never cause an internal error', async () => {
    const { key } = await issue();
    const edits = fc.record({ at: fc.nat(key.length), cut: fc.nat(3), put: fc.string({ maxLength: 3 }) });
    const likeKeys = edits.map(({ at, cut, put }) => key.slice(0, at) + put + key.slice(at + cut));
    const anything = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 50 }),
      likeKeys,
    );
    let address = 0;
    const attempt = async (text: string): Promise<void> => {
      // The characters that a header may contain: latin-1 without control characters.
      const sent = text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');
      if (sent.trim() === key) return;
      const answer = await from(`172.16.${address >> 8}.${address++ & 255}`, sent);
      expect(answer.status, JSON.stringify(sent)).toBe(401);
    };
    await fc.assert(fc.asyncProperty(anything, attempt), { numRuns: 300 });
  });
});

describe('the records of keys', () => {
  it('are an audit of every change that admins can read, and contain no secret', async () => {
    const { key, key_id } = await issue({ name: 'audited' });
    await system().query.send('DELETE', `${keys}/${key_id}`);
    const audit = () =>
      queryEvents(system().query, { stream: 'tributary.audit', entity_id: `key:${key_id}` });
    await until(async () => (await audit()).count === 2, { what: 'the audit can be queried' });
    const { events } = await audit();
    expect(events.map(({ event_type }) => event_type)).toEqual(['key.created', 'key.revoked']);
    for (const { metadata } of events) {
      expect(metadata).toMatchObject({ key_id: system().key.split('_')[1], port: 'query' });
    }
    const secret = key.split('_')[2] ?? '';
    const list = await system().query.get(`${keys}?limit=10000`);
    for (const text of [JSON.stringify(events), list.text, system().logTails(10_000), second.log()]) {
      expect(text).not.toContain(secret);
    }
  });
});
