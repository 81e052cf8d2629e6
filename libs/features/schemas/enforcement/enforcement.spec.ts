import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InputProblem, ProblemDocument } from '#api';
import { schemaName, type SchemaEnforcementMode, type SchemaSubject } from '#registry';
import { features as gatewayFeatures } from '../../../../apps/gateway/src/features.js';
import { features as ingestFeatures } from '../../../../apps/ingest/src/features.js';
import { event, startTestIngest, type TestIngest } from '../../../core/writing/writing.fixture.js';
import { schemaEnforcement } from './index.js';
import { schemaMismatches } from './schema-mismatch-counter.js';

interface BatchAnswer {
  events: { error?: { code: string; status: number; detail: string; errors: InputProblem[] } }[];
}

const actor = { key_id: null, port: 'core', request_id: null };
const orders = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', minimum: 0 }, 'a/b': { type: 'string' } },
};

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

/** Registers the next version of a schema; default: for `order.placed` in `orders`. */
async function givenSchema(schema: unknown, more: Partial<SchemaSubject> = {}): Promise<void> {
  const { stream = 'orders', event_type = 'order.placed' } = more;
  const next = (current: SchemaSubject | undefined): SchemaSubject => ({
    ...{ stream, event_type, compatibility: 'none', mode: 'enforce', retired: false },
    ...more,
    versions: [
      ...(current?.versions ?? []),
      { version: (current?.versions.length ?? 0) + 1, schema, created_at: '2026-11-21T04:00:00.000000Z' },
    ],
  });
  await given.definitions.schemas.change(schemaName(stream, event_type), next, actor);
}

const versions = () => given.written().map(({ schema_version }) => schema_version);
const single = async (data: unknown) => {
  const answer = await given.single(event({ data }));
  return { status: answer.statusCode, ...answer.json<Partial<ProblemDocument>>() };
};

describe('an event whose type has an enforced schema', () => {
  it('is stored with the version that it matches', async () => {
    await givenSchema({ type: 'object' });
    await givenSchema(orders);
    expect((await single({ amount: 1 })).status).toBe(201);
    expect(versions()).toEqual([2]);
  });

  it('is rejected with pointers into the event if it does not match', async () => {
    await givenSchema(orders);
    expect(await single({ amount: -1, 'a/b': 1 })).toMatchObject({
      status: 422,
      code: 'schema_violation',
      detail: 'The data does not match version 1 of the schema of order.placed in orders.',
      errors: [
        { pointer: '/data/amount', detail: 'must be 0 or more' },
        { pointer: '/data/a~1b', detail: 'must be string' },
      ],
    });
    expect((await single({})).errors).toEqual([{ pointer: '/data/amount', detail: 'is required' }]);
    expect(given.definitions.stream('orders')).toBeUndefined();
  });

  it('is rejected with its own code if its validation takes too many steps', async () => {
    const contains = Array.from({ length: 300 }, () => ({ contains: { type: 'string' }, minContains: 0 }));
    await givenSchema({ properties: { list: { allOf: contains } } });
    expect((await single({ list: [1, 2, 3] })).status).toBe(201);
    expect(await single({ list: Array.from({ length: 5_000 }, () => 1) })).toMatchObject({
      status: 422,
      code: 'schema_too_expensive',
      detail: expect.stringContaining('version 1 of the schema of order.placed in orders') as string,
      errors: [{ pointer: '/data', detail: expect.stringContaining('make it smaller') as string }],
    });
  });

  it('has this code also if other requests use the same validator meanwhile', async () => {
    const contains = Array.from({ length: 300 }, () => ({ contains: { type: 'string' }, minContains: 0 }));
    await givenSchema({ properties: { list: { allOf: contains }, n: { type: 'integer' } } });
    const large = { list: Array.from({ length: 5_000 }, () => 1), text: 'a'.repeat(300_000) };
    const [first, ...others] = await Promise.all(
      [large, ...Array.from({ length: 30 }, () => ({ n: 'x' }))].map(single),
    );
    expect(first?.code).toBe('schema_too_expensive');
    expect(new Set(others.map(({ code }) => code))).toEqual(new Set(['schema_violation']));
  });

  it('has its numbers validated as they were written', async () => {
    await givenSchema({ properties: { n: { type: 'integer', maximum: 9007199254740992 } } });
    const send = async (n: string) =>
      (await given.single(`{"stream":"orders","event_type":"order.placed","data":{"n":${n}}}`)).statusCode;
    const statuses = [];
    // The first event compiles the schema; the others may be validated by the scan.
    for (const n of ['1', '12345678901234567890.5', '9007199254740992', '9007199254740993', '1.50e1'])
      statuses.push(await send(n));
    expect(statuses).toEqual([201, 422, 201, 422, 201]);
  });

  it('is validated against the last acknowledged version, and against none if the schema is retired', async () => {
    await givenSchema(orders);
    expect((await single({})).status).toBe(422);
    await givenSchema({ type: 'object' });
    expect((await single({})).status).toBe(201);
    await givenSchema(orders, { retired: true });
    expect((await single({})).status).toBe(201);
    expect(versions()).toEqual(expect.arrayContaining([2, null]));
  });

  it.each([
    ['"stream":"orders","event_type":"order.placed","data":', ''],
    ['"data":', ',"stream":"orders","event_type":"order.placed"'],
    ['"event_type":"order.placed","d\\u0061ta":', ',"stream":"orders"'],
  ])('is validated with any position of its data: {%s…%s}', async (before, after) => {
    await givenSchema(orders);
    const send = async (data: string) => (await given.single(`{${before}${data}${after}}`)).statusCode;
    // The first event of a type compiles its schema; the others may be validated by the scan.
    const statuses = [];
    for (const data of ['{"amount":1}', '{"amount":1}', '{"amount":-1}', '{"\\u0061mount":2}', '{}'])
      statuses.push(await send(data));
    expect(statuses).toEqual([201, 201, 422, 201, 422]);
    expect(versions()).toEqual([1, 1, 1]);
  });

  it('with a duplicate member or invalid JSON is rejected as without a schema', async () => {
    await givenSchema(orders);
    await single({ amount: 1 });
    const send = async (data: string) =>
      (
        await given.single(`{"stream":"orders","event_type":"order.placed","data":${data}}`)
      ).json<ProblemDocument>();
    expect((await send('{"amount":1,"amount":2}')).errors?.[0]?.detail).toContain('same name');
    expect((await send('{"amount":1,}')).code).toBe('invalid_json');
    expect((await send('{"amount":01}')).code).toBe('invalid_json');
  });

  it('is not affected by the schema of another type or another stream', async () => {
    await givenSchema(orders);
    expect((await given.single(event({ event_type: 'order.paid' }))).statusCode).toBe(201);
    expect((await given.single(event({ stream: 'other' }))).statusCode).toBe(201);
    expect(given.written('other')).toMatchObject([{ schema_version: null }]);
  });

  it('is validated by the general rules first', async () => {
    await givenSchema(orders);
    expect((await single([])).code).toBe('invalid_request');
  });
});

describe.each(['JSON', 'NDJSON'])('a batch as %s', (form) => {
  const post = (events: object[], query = '') => {
    if (form === 'JSON') return given.post(`/api/v1/events/batch${query}`, { events });
    const lines = events.map((one) => JSON.stringify(one)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    return given.post(`/api/v1/events/batch${query}`, lines, headers);
  };
  const mixed = () => [{ amount: 1 }, { amount: 'x' }, { amount: 3 }].map((data) => event({ data }));

  it('has a rejection for each event that does not match', async () => {
    await givenSchema(orders);
    const answer = await post([...mixed(), event({ event_type: 'order.paid' })]);
    expect(answer.statusCode).toBe(207);
    const [, second] = answer.json<BatchAnswer>().events;
    expect(second?.error).toMatchObject({ code: 'schema_violation', status: 422 });
    expect(second?.error?.errors).toEqual([{ pointer: '/events/1/data/amount', detail: 'must be number' }]);
    expect(versions().sort()).toEqual([1, 1, null]);
  });

  it('is not written if it is atomic', async () => {
    await givenSchema(orders);
    const answer = await post(mixed(), '?atomic=true');
    expect(answer.statusCode).toBe(400);
    expect(answer.json<ProblemDocument>().errors).toEqual([
      { pointer: '/events/1/data/amount', detail: 'must be number' },
    ]);
    expect(given.written()).toEqual([]);
  });

  it('with many types does not delay other requests', async () => {
    const types = Array.from({ length: 40 }, (_, i) => `t${i}`);
    for (const event_type of types) await givenSchema(orders, { event_type });
    const order: string[] = [];
    const events = types.map((event_type) => event({ event_type, data: { amount: 1 } }));
    const many = post(events).then(() => order.push('many'));
    const one = given.single(event({ event_type: 'none' })).then(() => order.push('one'));
    await Promise.all([many, one]);
    expect(order).toEqual(['one', 'many']);
  });
});

describe('a schema in the mode warn', () => {
  const mismatches = async (mode: SchemaEnforcementMode) =>
    (await schemaMismatches.get()).values.find(
      ({ labels }) => labels.stream === 'orders' && labels.mode === mode,
    )?.value ?? 0;

  it('stores events that do not match without a version, and counts them', async () => {
    await givenSchema(orders, { mode: 'warn' });
    const before = await mismatches('warn');
    for (const amount of [1, 'x', -1]) expect((await single({ amount })).status).toBe(201);
    expect(versions().sort()).toEqual([1, null, null]);
    expect(await mismatches('warn')).toBe(before + 2);
  });

  it('has another count than an enforced schema', async () => {
    const before = await mismatches('enforce');
    await givenSchema(orders);
    await single({});
    expect(await mismatches('enforce')).toBe(before + 1);
  });

  it('loses its count when its stream is deleted', async () => {
    await givenSchema(orders, { mode: 'warn' });
    expect((await single({})).status).toBe(201);
    expect(await mismatches('warn')).toBeGreaterThan(0);
    await given.definitions.deleteStream('orders', () => Promise.resolve(), actor);
    const { values } = await schemaMismatches.get();
    expect(values.filter(({ labels }) => labels.stream === 'orders')).toEqual([]);
  });

  it.each<Partial<SchemaSubject>>([{ mode: 'off' }, { mode: 'warn', retired: true }])(
    'has no effect with %j',
    async (more) => {
      const before = await mismatches('warn');
      await givenSchema(orders, more);
      expect((await single({})).status).toBe(201);
      expect(versions()).toEqual([null]);
      expect(await mismatches('warn')).toBe(before);
    },
  );
});

describe('data with special JSON', () => {
  const sent = (data: string) =>
    given.single(`{"stream":"orders","event_type":"order.placed","data":${data}}`);

  it('is stored with the text that was sent', async () => {
    await givenSchema(orders);
    const data = '{ "amount":9007199254740993.10, "huge":1e400, "z":1, "a":"\\u00e9" }';
    expect((await sent(data)).statusCode).toBe(201);
    expect(given.written()).toMatchObject([{ data, schema_version: 1 }]);
  });

  it.each([
    ['{"__proto__":{"amount":1}}', 422],
    ['{"__proto__":5,"amount":1}', 201],
    ['{"amount":1e400}', 201],
    ['{"amount":-0}', 201],
  ])('%s is a %i', async (data, status) => {
    await givenSchema(orders);
    expect((await sent(data)).statusCode).toBe(status);
    expect(({} as Record<string, unknown>).amount).toBeUndefined();
  });

  it('does not have members that every object inherits', async () => {
    await givenSchema({ type: 'object', required: ['constructor'] });
    expect((await sent('{}')).statusCode).toBe(422);
    expect((await sent('{"constructor":1}')).statusCode).toBe(201);
  });
});

describe('a schema of a member with a special name in JavaScript', () => {
  it.each(['__proto__', 'constructor', 'toString'])('is enforced: %s', async (name) => {
    await givenSchema(JSON.parse(`{"type":"object","properties":{"${name}":{"type":"integer"}}}`) as object);
    const sent = async (data: string): Promise<number> => {
      const body = `{"stream":"orders","event_type":"order.placed","data":${data}}`;
      return (await given.single(body)).statusCode;
    };
    expect([await sent('{}'), await sent(`{"${name}":1}`), await sent(`{"${name}":"x"}`)]).toEqual([
      201, 201, 422,
    ]);
  });
});

describe('a schema that cannot be compiled', () => {
  it.each(['enforce', 'warn'] as const)('causes a 500 for its events in the mode %s', async (mode) => {
    await givenSchema({ type: 'nothing that there is' }, { mode });
    const answers = [
      await given.single(event()),
      await given.batch({ events: [event({ event_type: 'order.paid' }), event()] }),
    ];
    for (const answer of answers)
      expect(answer.json<ProblemDocument>()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(given.written()).toEqual([]);
    expect((await given.single(event({ event_type: 'order.paid' }))).statusCode).toBe(201);
  });
});

describe.each([
  ['ingest', ingestFeatures],
  ['the gateway', gatewayFeatures],
])('the write routes of %s', (_app, features) => {
  it('enforce schemas', () => {
    expect(features.map(({ writing }) => writing)).toContain(schemaEnforcement.writing);
  });
});
