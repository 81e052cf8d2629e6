import { describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpClient } from '#testkit';
import { expectProblem, freshStream, path, queryEvents, waitFor, writeEvent } from './api.js';
import { useSecondGateway } from './second-gateway.js';
import { useSharedStack } from './use-stack.js';

const system = useSharedStack();
const other = useSecondGateway(system);

interface Version {
  stream: string;
  event_type: string;
  version: number;
  compatibility: string;
  mode: string;
  schema: Record<string, unknown>;
  created_at: string;
}

interface SchemaList {
  schemas: Version[];
  total: number;
  next_cursor: string | null;
}

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const number = { type: 'number' };
const text = { type: 'string' };
const first = object({ amount: number }, ['amount']);
/** Compatible with `first`: valid events remain valid. */
const second = object({ amount: number, note: text }, ['amount']);
/** Has one more required member, so earlier events are invalid. */
const stricter = object({ amount: number, customer: text }, ['amount', 'customer']);

const pathOf = (stream: string, type: string) => `/api/v1/schemas/${stream}/${encodeURIComponent(type)}`;
const register = (client: HttpClient, body: object) => client.post('/api/v1/schemas', body);
const versionOf = (answer: HttpAnswer, status: number): Version => {
  expect(answer.status, answer.text).toBe(status);
  return answer.json<Version>();
};
const newSubject = async (client: HttpClient, more: object = {}) => {
  const subject = { stream: freshStream(), event_type: 'order.placed', ...more };
  versionOf(await register(client, { ...subject, schema: first }), 201);
  return subject;
};

describe.each(['core', 'query'] as const)('schemas on the %s port', (port) => {
  const client = () => system()[port];

  it('get versions 1, 2, 3 …, also for streams that do not exist yet', async () => {
    const subject = { stream: freshStream(), event_type: 'order.placed' };
    const answer = await register(client(), { ...subject, schema: first });
    expect(versionOf(answer, 201)).toEqual({
      ...subject,
      version: 1,
      compatibility: 'backward',
      mode: 'enforce',
      schema: first,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(answer.headers.location).toBe(`${pathOf(subject.stream, subject.event_type)}/versions/1`);
    const next = versionOf(await register(client(), { ...subject, schema: second }), 201);
    expect(next).toMatchObject({ version: 2, schema: second });
    const latest = await client().get(pathOf(subject.stream, subject.event_type));
    expect(latest.json()).toEqual(next);
    expect((await client().get(answer.headers.location as string)).json()).toEqual(answer.json());
  });

  it('that equal the latest version create no new version, in any order of their members', async () => {
    const subject = await newSubject(client());
    const again = await register(client(), {
      schema: { required: ['amount'], properties: { amount: number }, type: 'object' },
      ...subject,
    });
    expect(versionOf(again, 200)).toMatchObject({ version: 1 });
    const changed = { ...subject, schema: first, mode: 'warn', compatibility: 'full' };
    expect(versionOf(await register(client(), changed), 200)).toMatchObject({
      version: 1,
      mode: 'warn',
      compatibility: 'full',
    });
    const kept = await register(client(), { ...subject, schema: first });
    expect(versionOf(kept, 200)).toMatchObject({ version: 1, mode: 'warn', compatibility: 'full' });
  });

  it('that are incompatible with earlier versions are refused with each reason and the version', async () => {
    const subject = await newSubject(client());
    const wrong = object({ amount: text, customer: text }, ['amount', 'customer']);
    const problem = expectProblem(
      await register(client(), { ...subject, schema: wrong }),
      'schema_incompatible',
    );
    expect(problem.errors?.length).toBeGreaterThanOrEqual(2);
    for (const { pointer, detail } of problem.errors ?? []) {
      expect(pointer).toMatch(/^\/schema\//);
      expect(detail).toContain('version 1');
    }
    const all = await client().get(`${pathOf(subject.stream, subject.event_type)}/versions`);
    expect(all.json<SchemaList>().total).toBe(1);
    const anything = { ...subject, schema: wrong, compatibility: 'none' };
    expect(versionOf(await register(client(), anything), 201)).toMatchObject({ version: 2 });
  });

  it('can be checked without changing anything', async () => {
    const subject = await newSubject(client());
    const check = `${pathOf(subject.stream, subject.event_type)}/check`;
    const good = await client().post(check, { schema: second });
    expect(good.json(), good.text).toEqual({
      compatible: true,
      version: 2,
      compatibility: 'backward',
      errors: [],
    });
    const bad = await client().post(check, { schema: stricter });
    expect(bad.status).toBe(200);
    expect(bad.json()).toMatchObject({ compatible: false, compatibility: 'backward' });
    expect(bad.json<{ errors: object[] }>().errors).not.toEqual([]);
    const same = await client().post(check, { schema: first });
    expect(same.json()).toMatchObject({ compatible: true, version: 1 });
    const none = await client().post(check, { schema: stricter, compatibility: 'none' });
    expect(none.json()).toMatchObject({ compatible: true, version: 2 });
    expectProblem(await client().post(check, { schema: { type: 'objekt' } }), 'invalid_schema');
    const latest = await client().get(pathOf(subject.stream, subject.event_type));
    expect(latest.json()).toMatchObject({ version: 1 });
    const unknown = await client().post(`${pathOf(freshStream(), 'new')}/check`, { schema: first });
    expect(unknown.json()).toMatchObject({ compatible: true, version: 1 });
  });

  it.each([
    ['an unknown type', { type: 'objekt' }],
    ['a number', 17],
    ['a reference elsewhere', { $ref: 'https://example.org/schema.json' }],
    ['a pattern that is none', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
  ])('that are unusable are refused: %s', async (_name, schema) => {
    const subject = { stream: freshStream(), event_type: 't' };
    const problem = expectProblem(await register(client(), { ...subject, schema }), 'invalid_schema');
    for (const { pointer } of problem.errors ?? []) expect(pointer).toMatch(/^\/schema/);
    expectProblem(await client().get(pathOf(subject.stream, 't')), 'schema_not_found');
  });

  it.each([
    [{ event_type: 't', schema: true }, '/stream'],
    [{ stream: 'a/b', event_type: 't', schema: true }, '/stream'],
    [{ stream: 'x', schema: true }, '/event_type'],
    [{ stream: 'x', event_type: 'a\u0000b', schema: true }, '/event_type'],
    [{ stream: 'x', event_type: 't' }, '/schema'],
    [{ stream: 'x', event_type: 't', schema: true, compatibility: 'BACKWARD' }, '/compatibility'],
    [{ stream: 'x', event_type: 't', schema: true, mode: 'strict' }, '/mode'],
    [{ stream: 'x', event_type: 't', schema: true, colour: 1 }, '/colour'],
  ])('are refused with a pointer to the invalid member: %j', async (body, pointer) => {
    const problem = expectProblem(await register(client(), body), 'invalid_request');
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('are refused for system streams', async () => {
    const body = { stream: 'tributary.audit', event_type: 't', schema: true };
    expectProblem(await register(client(), body), 'stream_reserved');
  });

  it.each(['a/b', 'ü', '%', 'a%2Fb', 'a b', 'versions', 'check', '𝄞', '?x=1&y#z', 'x'.repeat(256)])(
    'belong to event types with any text, percent-encoded in the URL: %s',
    async (event_type) => {
      const { stream } = await newSubject(client(), { event_type });
      const address = pathOf(stream, event_type);
      expect(versionOf(await client().get(address), 200)).toMatchObject({ stream, event_type, version: 1 });
      expect((await client().get(`${address}/versions`)).json()).toMatchObject({ total: 1 });
      expect(versionOf(await client().get(`${address}/versions/1`), 200)).toMatchObject({ event_type });
      const check = await client().post(`${address}/check`, { schema: first });
      expect(check.json()).toMatchObject({ compatible: true, version: 1 });
      const list = await client().get(path('/api/v1/schemas', { stream, event_type }));
      expect(list.json<SchemaList>().schemas).toMatchObject([{ event_type }]);
      expect((await client().send('DELETE', address)).status).toBe(204);
      expectProblem(await client().get(address), 'schema_not_found');
    },
  );

  it('are listed by stream and event type, in pages', async () => {
    const stream = freshStream();
    const types = ['a', 'b', 'c', 'd', 'e'];
    for (const event_type of types) await newSubject(client(), { stream, event_type });
    const list = async (...parameters: Parameters<typeof path>[1][]) => {
      const answer = await client().get(path('/api/v1/schemas', { stream }, ...parameters));
      expect(answer.status, answer.text).toBe(200);
      return answer.json<SchemaList>();
    };
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: SchemaList = await list({ limit: '2' }, cursor ? { cursor } : {});
      expect(page.total).toBe(5);
      seen.push(...page.schemas.map(({ event_type }) => event_type));
      cursor = page.next_cursor;
    } while (cursor);
    expect(seen).toEqual(types);
    expect((await list({ event_type: ['b', 'd'] })).schemas.map(({ event_type }) => event_type)).toEqual([
      'b',
      'd',
    ]);
    const { next_cursor } = await list({ limit: '2' });
    const elsewhere = await client().get(path('/api/v1/schemas', { cursor: next_cursor ?? '' }));
    expectProblem(elsewhere, 'invalid_cursor');
  });

  it('can be retired, keep their versions, and continue with later numbers', async () => {
    const subject = await newSubject(client());
    const address = pathOf(subject.stream, subject.event_type);
    const event = { ...subject, data: { amount: 'much' } };
    expectProblem(await client().post('/api/v1/events', event), 'schema_violation');
    expect((await client().send('DELETE', address)).status).toBe(204);
    expectProblem(await client().send('DELETE', address), 'schema_not_found');
    expectProblem(await client().get(address), 'schema_not_found');
    expect((await client().get(`${address}/versions/1`)).json()).toMatchObject({ schema: first });
    const listed = await client().get(path('/api/v1/schemas', { stream: subject.stream }));
    expect(listed.json()).toMatchObject({ total: 0, schemas: [] });
    await writeEvent(client(), event);
    const again = await register(client(), { ...subject, schema: second });
    expect(versionOf(again, 201)).toMatchObject({ version: 2 });
    expectProblem(await client().post('/api/v1/events', event), 'schema_violation');
  });

  it('that do not exist are a 404 that lists the existing ones', async () => {
    const { stream, event_type } = await newSubject(client());
    expectProblem(await client().get(pathOf(stream, 'nothing')), 'schema_not_found');
    expectProblem(await client().get(`${pathOf(stream, 'nothing')}/versions`), 'schema_not_found');
    const beyond = await client().get(`${pathOf(stream, event_type)}/versions/2`);
    expect(expectProblem(beyond, 'schema_not_found').detail).toContain('1 to 1');
    expectProblem(await client().get(`${pathOf(stream, event_type)}/versions/x`), 'invalid_request');
    expectProblem(await client().send('DELETE', pathOf(stream, 'nothing')), 'schema_not_found');
  });

  it('must not be larger than 64 KiB', async () => {
    const schema = { type: 'object', description: 'x'.repeat(64 * 1024) };
    const body = { stream: freshStream(), event_type: 't', schema };
    expectProblem(await register(client(), body), 'payload_too_large');
  });

  it('are named in the events that were checked with them', async () => {
    const subject = await newSubject(client());
    const one = await writeEvent(client(), { ...subject, data: { amount: 1 } });
    versionOf(await register(client(), { ...subject, schema: second }), 201);
    const two = await writeEvent(client(), { ...subject, data: { amount: 2 } });
    versionOf(await register(client(), { ...subject, schema: second, mode: 'off' }), 200);
    const three = await writeEvent(client(), { ...subject, data: {} });
    const { events } = await queryEvents(client(), { stream: subject.stream }, waitFor([one, two, three]));
    expect(events.map(({ schema_version }) => schema_version)).toEqual([1, 2, null]);
  });
});

describe('two gateways', () => {
  it('that register concurrently create the versions 1 to n, each once', async () => {
    const subject = { stream: freshStream(), event_type: 'race', compatibility: 'none' };
    const clients = [system().core, other()];
    const schemas = Array.from({ length: 24 }, (_, n) => object({ [`member_${n}`]: number }));
    const answers = await Promise.all(
      schemas.map((schema, n) => untilDecided(() => register(clients[n % 2]!, { ...subject, schema }))),
    );
    const versions = answers.map((answer) => versionOf(answer, 201));
    expect(versions.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      schemas.map((_, n) => n + 1),
    );
    for (const client of clients) {
      await expect
        .poll(async () => {
          const list = await client.get(`${pathOf(subject.stream, 'race')}/versions?limit=100`);
          return list.json<SchemaList>().schemas?.map(({ version, schema }) => [version, schema]);
        })
        .toEqual(versions.toSorted((a, b) => a.version - b.version).map((one) => [one.version, one.schema]));
    }
  });

  it('that register the same schema concurrently create one version', async () => {
    const subject = { stream: freshStream(), event_type: 'same', schema: first };
    const clients = [system().core, other()];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => untilDecided(() => register(clients[n % 2]!, subject))),
    );
    expect(answers.map((answer) => answer.json<Version>().version)).toEqual(answers.map(() => 1));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('check the second of two concurrent schemas against the first', async () => {
    const closed = (properties: object) => ({ ...object(properties), additionalProperties: false });
    const subject = { stream: freshStream(), event_type: 'closed' };
    versionOf(await register(system().core, { ...subject, schema: closed({ amount: number }) }), 201);
    const clients = [system().core, other()];
    const answers = await Promise.all(
      [text, number].map((extra, n) => {
        const schema = closed({ amount: number, extra });
        return untilDecided(() => register(clients[n]!, { ...subject, schema }));
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(expectProblem(refused, 'schema_incompatible').errors?.[0]?.detail).toContain('version 2');
  });

  it("apply each other's schemas", async () => {
    const subject = { stream: freshStream(), event_type: 't' };
    versionOf(await register(other(), { ...subject, schema: first }), 201);
    await expect
      .poll(async () => (await system().write.post('/api/v1/events', { ...subject, data: {} })).status)
      .toBe(422);
  });
});

/** Repeats a request while it loses against concurrent ones, which is a 503. */
async function untilDecided(send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  for (let tries = 0; tries < 20; tries++) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
  return send();
}
