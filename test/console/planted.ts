import { expect } from 'vitest';
import { until, type TestSystem } from '#testkit';
import { expectWritten } from '../api.js';

/** Names and texts of what `plant` writes: streams, definitions, and values that a page must not run or reorder. */
export const planted = {
  stream: 'payments',
  hostile: 'hostile',
  manyTypes: 'many-types',
  projection: 'payments_by_currency',
  pipeline: 'payments_per_minute',
  subscription: 'payment_receipts',
  script: '<script>globalThis.hacked = true</script><img src=x onerror="globalThis.hacked = true">',
  rightToLeft: 'שלום \u202e gnp.exe',
  large: '9223372036854775808',
} as const;

/** Why a worker has parked events. */
export const parkedReason =
  'The customer has no address for the receipt, and the worker cannot ask for one: see customers/p-7.';

const minute = 60_000;

/** Writes events, definitions and dead letters that every view of the console shows something of. */
export async function plant(system: TestSystem): Promise<void> {
  await define(system);
  await writePayments(system);
  await writeHostile(system);
  await writeManyTypes(system);
  await writeRefused(system);
  await consume(system);
  await until(() => hasProcessed(system), {
    what: 'the projection and the pipeline have read what was planted',
  });
}

async function hasProcessed({ core }: TestSystem): Promise<boolean> {
  const read = async (path: string) =>
    (await core.get(`/api/v1/${path}`)).json<{ processed: number; lag: number }>();
  const projection = await read(`projections/${planted.projection}`);
  const pipeline = await read(`pipelines/${planted.pipeline}`);
  return projection.processed > 0 && projection.lag === 0 && pipeline.processed > 0;
}

async function define({ core }: TestSystem): Promise<void> {
  const { stream, projection, pipeline } = planted;
  const post = async (path: string, body: object) => {
    const answer = await core.post(`/api/v1/${path}`, body);
    expect(answer.status, answer.text).toBeLessThan(300);
  };
  await post('streams', { stream, retention: { time: '30d' } });
  const amount = { type: 'number', minimum: 0 };
  const schema = { type: 'object', properties: { amount }, required: ['amount'] };
  const next = { ...schema, properties: { amount, note: { type: 'string' } } };
  for (const one of [schema, next])
    await post('schemas', {
      stream,
      event_type: 'payment.made',
      schema: one,
      mode: 'enforce',
      compatibility: 'none',
    });
  await post('projections', {
    name: projection,
    source: { streams: [stream], event_types: ['payment.made'] },
    key: 'event.data.currency',
    fields: { payments: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } },
  });
  await post('pipelines', {
    name: pipeline,
    source: { streams: [stream], idle_after: '5s' },
    operators: [
      { filter: 'event.event_type == "payment.made"' },
      {
        branch: [
          {
            when: 'event.data.amount > 70',
            operators: [
              { map: { data: { large: 'event.data.amount' } } },
              { emit: { stream: 'large-payments' } },
            ],
          },
          {
            otherwise: true,
            operators: [
              { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
              { reduce: { payments: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } } },
              { emit: { stream: 'payments-per-minute', event_type: 'payments.counted' } },
            ],
          },
        ],
      },
    ],
    from: 'beginning',
  });
  await post('keys', { name: 'web shop', scopes: ['events:read', 'events:write'], streams: ['payments'] });
  await post('keys', {
    name: 'analyst',
    scopes: ['events:read', 'sql:read'],
    expires_at: '2099-01-01T00:00:00Z',
  });
}

/** Returns when an event happened, from 0 to 1, so that there are busy and quiet times. */
function timeOf(fraction: number): number {
  return fraction + 0.06 * Math.sin(fraction * 4 * Math.PI);
}

/** Writes payments of the last two hours, in the order of their times. */
async function writePayments({ write }: TestSystem): Promise<void> {
  const types = ['payment.made', 'payment.made', 'payment.made', 'payment.returned', 'payment.refused'];
  const currencies = ['EUR', 'USD', 'GBP', 'JPY'];
  const now = Date.now();
  const status = { made: 'open', returned: 'returned', refused: 'refused' } as const;
  const events = Array.from({ length: 900 }, (_, i) => {
    const wave = 1 + Math.round(40 * (1 + Math.sin(i / 40)));
    const event_type = types[(i * 7) % 5]!;
    return {
      ...{ stream: planted.stream, event_type, entity_id: `p-${i % 61}` },
      timestamp: new Date(now - 2 * 60 * minute * (1 - timeOf(i / 900))).toISOString(),
      data: {
        amount: Number((wave + (i % 100) / 100).toFixed(2)),
        currency: currencies[(i * 3) % 4],
        status: status[event_type.slice(8) as keyof typeof status],
        card: { brand: i % 3 === 0 ? 'maestro' : 'visa', last4: String(1000 + ((i * 37) % 9000)) },
      },
      metadata: { source: i % 2 === 0 ? 'web' : 'app' },
    };
  });
  expect((await write.post('/api/v1/events/batch', { events })).status).toBe(201);
}

async function writeHostile({ write }: TestSystem): Promise<void> {
  const { hostile: stream, script, rightToLeft, large } = planted;
  const texts = [
    JSON.stringify({ html: script, [script]: script }),
    JSON.stringify({ text: rightToLeft }),
    `{"large": ${large}, "exact": 1.50, "tiny": 1e-400}`,
    JSON.stringify({ long: 'x'.repeat(900_000), list: Array.from({ length: 5_000 }, (_, i) => i) }),
  ];
  for (const [i, data] of texts.entries()) {
    const event = JSON.stringify({
      stream,
      event_type: script,
      entity_id: rightToLeft.slice(0, 4),
      event_id: undefined,
    });
    const timestamp = new Date(Date.now() - (10 - i) * minute).toISOString();
    const text = `${event.slice(0, -1)},"timestamp":"${timestamp}","data":${data}}`;
    expectWritten(await write.post('/api/v1/events', text));
  }
}

async function writeManyTypes({ write }: TestSystem): Promise<void> {
  const timestamp = new Date(Date.now() - 180 * minute).toISOString();
  for (let at = 0; at < 10_000; at += 2_500) {
    const events = Array.from({ length: 2_500 }, (_, i) => ({
      ...{ stream: planted.manyTypes, event_type: `type.${at + i}`, timestamp, data: {} },
    }));
    expect((await write.post('/api/v1/events/batch', { events })).status).toBe(201);
  }
}

/** Receives payments as a worker does: some are acknowledged, others wait for an attempt, are parked, or stay with the worker. */
async function consume({ core }: TestSystem): Promise<void> {
  const url = `/api/v1/subscriptions/${planted.subscription}`;
  const definition = { source: { streams: [planted.stream] }, from: 'beginning', ack_within: '1h' };
  const headers = { 'content-type': 'application/json' };
  const answer = await core.send('PUT', url, { body: JSON.stringify(definition), headers });
  expect(answer.status, answer.text).toBe(201);
  const tokens: string[] = [];
  const receive = async () => {
    const received = await core.post(`${url}/receive`, { max: 20 - tokens.length, wait: '10s' });
    tokens.push(...received.json<{ events: { token: string }[] }>().events.map(({ token }) => token));
    return tokens.length >= 20;
  };
  await until(receive, { what: 'a worker has received payments', progress: () => tokens.length });
  const rejected = tokens.slice(5, 10).map((token, i) => ({
    token,
    ...(i < 3 ? { park: true, reason: parkedReason } : { delay: '24h', reason: 'The printer is off.' }),
  }));
  const settled = await core.post(`${url}/ack`, { ack: tokens.slice(0, 5), nack: rejected });
  expect(settled.status, settled.text).toBe(200);
}

/** Lenient handling keeps what a schema refuses as dead letters. */
async function writeRefused({ write }: TestSystem): Promise<void> {
  const events = Array.from({ length: 5 }, (_, i) => ({
    ...{ stream: planted.stream, event_type: 'payment.made', entity_id: `refused-${i}` },
    data: { amount: -i - 1, note: planted.script },
  }));
  const headers = { prefer: 'handling=lenient' };
  expect((await write.post('/api/v1/events/batch', { events }, { headers })).status).toBeLessThan(300);
}
