import { describe, expect, it } from 'vitest';
import type { InputProblem } from '#api';
import type { HttpAnswer } from '#testkit';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type SingleWriteAnswer,
} from './api.js';
import { useSharedStack } from './use-stack.js';

interface BatchAnswer {
  accepted: number;
  rejected: number;
  events: (SingleWriteAnswer & { error?: { code: string; status: number; errors: InputProblem[] } })[];
}

const system = useSharedStack();

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['amount', 'currency'],
  properties: {
    amount: { type: 'number', minimum: 0 },
    currency: { enum: ['EUR', 'USD'] },
    items: { type: 'array', items: { type: 'object', required: ['sku'] } },
  },
};
const fits = { amount: 12.5, currency: 'EUR', items: [{ sku: 'a' }] };
const unfit = { amount: -1, items: [{}] };

/** Registers a schema of `order.placed` on the core port; other processes apply it within a second. */
async function givenSchema(stream: string, more: object = {}): Promise<void> {
  const body = { stream, event_type: 'order.placed', schema, ...more };
  const answer = await system().core.post('/api/v1/schemas', body);
  expect([200, 201], answer.text).toContain(answer.status);
}

const event = (stream: string, data: object) => ({ stream, event_type: 'order.placed', data });

/** Repeats a request to a process that may not know the schema yet. */
async function obeyed(send: () => Promise<HttpAnswer>, status: number): Promise<HttpAnswer> {
  let answer = await send();
  await expect.poll(async () => (answer = await send()).status, { interval: 50 }).toBe(status);
  return answer;
}

async function stored(stream: string, written: readonly SingleWriteAnswer[]) {
  const { events } = await queryEvents(system().core, { stream }, waitFor(written, stream));
  const found = new Map(events.map((one) => [one.event_id, one]));
  return written.map(({ event_id }) => found.get(event_id));
}

describe.each(['core', 'query', 'write'] as const)('a schema that is enforced, on the %s port,', (port) => {
  const client = () => system()[port];
  const single = (stream: string, data: object) => client().post('/api/v1/events', event(stream, data));

  it('refuses a single invalid event, with pointers into it', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream);
    const problem = expectProblem(await obeyed(() => single(stream, unfit), 422), 'schema_violation');
    expect(problem.errors?.map(({ pointer }) => pointer).sort()).toEqual([
      '/data/amount',
      '/data/currency',
      '/data/items/0/sku',
    ]);
    const written = await writeEvent(client(), event(stream, fits));
    expect(await stored(stream, [written])).toMatchObject([{ schema_version: 1, data: fits }]);
  });

  it.each(['JSON', 'NDJSON'])(
    'refuses the invalid events of a batch as %s, at their indexes',
    async (form) => {
      const stream = freshStream('orders');
      await givenSchema(stream);
      await obeyed(() => single(stream, unfit), 422);
      const events = [fits, unfit, fits].map((data) => event(stream, data));
      const answer =
        form === 'JSON'
          ? await client().post('/api/v1/events/batch', { events })
          : await client().post('/api/v1/events/batch', events.map((one) => JSON.stringify(one)).join('\n'), {
              headers: { 'content-type': 'application/x-ndjson' },
            });
      expect(answer.status, answer.text).toBe(207);
      const batch = answer.json<BatchAnswer>();
      expect(batch).toMatchObject({ accepted: 2, rejected: 1 });
      expect(batch.events[1]?.error).toMatchObject({ code: 'schema_violation', status: 422 });
      expect(batch.events[1]?.error?.errors[0]?.pointer).toMatch(/^\/events\/1\/data\//);
      const written = batch.events.filter(({ error }) => !error);
      expect(await stored(stream, written)).toMatchObject([{ schema_version: 1 }, { schema_version: 1 }]);
    },
  );

  it('refuses an atomic batch with one invalid event as a whole', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream);
    await obeyed(() => single(stream, unfit), 422);
    const events = [{ ...fits, atomic: true }, unfit].map((data) => event(stream, data));
    const problem = expectProblem(
      await client().post('/api/v1/events/batch?atomic=true', { events }),
      'invalid_request',
    );
    expect(problem.errors?.[0]?.pointer).toMatch(/^\/events\/1\/data\//);
    const after = await writeEvent(client(), { ...event(stream, fits), entity_id: 'after' });
    const { events: all } = await queryEvents(system().core, { stream }, waitFor([after]));
    expect(all.filter(({ data }) => data.atomic)).toEqual([]);
  });
});

describe('the process that acknowledged a schema', () => {
  it('applies it at once', async () => {
    for (let i = 0; i < 5; i++) {
      const stream = freshStream('orders');
      await givenSchema(stream);
      const answer = await system().core.post('/api/v1/events', event(stream, unfit));
      expectProblem(answer, 'schema_violation');
    }
  });
});

describe('the modes of a schema', () => {
  const write = (stream: string, data: object) => writeEvent(system().core, event(stream, data));

  it('warn: an invalid event is stored without a version and counted, a valid one has its version', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream, { mode: 'warn' });
    const written = [await write(stream, fits), await write(stream, unfit)];
    expect(await stored(stream, written)).toMatchObject([
      { schema_version: 1, data: fits },
      { schema_version: null, data: unfit },
    ]);
    const { text } = await system().core.get('/metrics');
    expect(text).toContain(`tributary_schema_mismatches_total{stream="${stream}",mode="warn"} 1`);
  });

  it('off, and a schema that was retired: no event is checked', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream, { mode: 'off' });
    const written = [await write(stream, unfit), await write(stream, fits)];
    await givenSchema(stream, { mode: 'enforce' });
    expectProblem(await system().core.post('/api/v1/events', event(stream, unfit)), 'schema_violation');
    const { status } = await system().core.send('DELETE', `/api/v1/schemas/${stream}/order.placed`);
    expect(status).toBeLessThan(300);
    written.push(await write(stream, unfit));
    expect((await stored(stream, written)).map((one) => one?.schema_version)).toEqual([null, null, null]);
  });

  it('a new version applies from its acknowledgement; events keep the version that they were checked with', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream);
    const written = [await write(stream, fits)];
    const wider = {
      ...schema,
      properties: { ...schema.properties, amount: { type: 'number' } },
      required: [],
    };
    await givenSchema(stream, { schema: wider });
    written.push(await write(stream, { amount: -1 }));
    expect((await stored(stream, written)).map((one) => one?.schema_version)).toEqual([1, 2]);
  });

  it('apply to one type of one stream: other types of the stream are not affected', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream);
    const other = await writeEvent(system().core, { ...event(stream, unfit), event_type: 'order.paid' });
    expect(await stored(stream, [other])).toMatchObject([{ schema_version: null }]);
  });
});

describe('data that a parser could misread', () => {
  it('is checked with its exact values and is read back as it was sent', async () => {
    const stream = freshStream('orders');
    await givenSchema(stream);
    const data = '{"amount":9007199254740993.10,"currency":"EUR","__proto__":{"x":1},"constructor":1}';
    const body = `{"stream":"${stream}","event_type":"order.placed","data":${data}}`;
    const written = await writeEvent(system().core, body);
    const answer = await system().core.get(path('/api/v1/events/query', { stream }, waitFor([written])));
    expect(answer.text).toContain(`"data":${data}`);
    expect(answer.text).toContain('"schema_version":1');
  });
});
