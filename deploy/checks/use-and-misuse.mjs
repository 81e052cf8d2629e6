/** Sends correct and incorrect requests to a system, so that every metric has series. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { EventStreamClient, topicOf } from '../../dist/testkit/src/index.js';

const stream = 'orders';
const schema = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };

/** Uses the system for about half a minute. Calls `log` with a description of each step. */
export async function useAndMisuse({ stack, engines, log }) {
  const { core, query } = stack;
  log('definitions: a stream, a schema, a projection, a pipeline, a subscription, keys');
  await written(core.post('/api/v1/streams', { stream, snapshot_every: 5 }));
  await written(core.post('/api/v1/schemas', { stream, event_type: 'order.checked', schema }));
  await written(
    core.post('/api/v1/projections', {
      name: 'revenue',
      source: { streams: [stream], event_types: ['order.placed'] },
      key: 'event.entity_id',
      fields: { revenue: { op: 'sum', value: 'event.data.amount' } },
    }),
  );
  await written(
    core.post('/api/v1/pipelines', {
      name: 'minutes',
      source: { streams: [stream], event_types: ['order.placed'] },
      operators: [
        { filter: 'event.data.amount > 10.0' },
        { window: { tumbling: '1m', key: 'event.entity_id', lateness: '10s' } },
        { reduce: { orders: { op: 'count' } } },
        { emit: { stream: 'minutes' } },
      ],
    }),
  );
  const subscription = '/api/v1/subscriptions/billing';
  const body = JSON.stringify({ source: { streams: [stream] }, from: 'beginning' });
  await written(core.send('PUT', subscription, { body, headers: { 'content-type': 'application/json' } }));
  const day = 24 * 60 * 60 * 1000;
  const keyOf = async (more) => {
    const answer = await query.post('/api/v1/keys', { name: 'check', scopes: ['events:read'], ...more });
    return written(answer);
  };
  await keyOf({ expires_at: new Date(Date.now() + 30 * day).toISOString() });
  const slow = await keyOf({ rate_limit: { requests_per_second: 1 } });
  const lost = await keyOf({});

  log('clients write, read and follow');
  await written(
    core.post('/api/v1/events', { stream, event_type: 'order.left', entity_id: 'gone', data: {} }),
  );
  const conditional = { stream, event_type: 'order.left', entity_id: 'left', data: {}, expected_version: 0 };
  await written(core.post('/api/v1/events', conditional));
  await core.post('/api/v1/events', conditional);
  const load = new Load(stack);
  const live = await EventStreamClient.open(`${stack.urls.query}/api/v1/events/stream?stream=${stream}`, {
    authorization: `Bearer ${lost.key}`,
  });
  await sleep(4_000);

  log('a worker receives and acknowledges events');
  const { events } = await written(core.post(`${subscription}/receive`, { max: 10, wait: '10s' }));
  await written(core.post(`${subscription}/ack`, { ack: events.map(({ token }) => token) }));

  log('clients send invalid requests and invalid keys');
  await core.post('/api/v1/events', { stream });
  await stack.write.post('/api/v1/events', '{');
  await core.post('/api/v1/events', { stream, event_type: 'order.checked', data: { amount: 'a lot' } });
  const readWith = (key) =>
    query.get('/api/v1/events/query', { headers: { authorization: `Bearer ${key}` } });
  // Concurrent requests exceed the key's rate limit even on a slow machine.
  await Promise.all(['none', ...Array(6).fill(slow.key)].map(readWith));
  await query.send('DELETE', `/api/v1/keys/${lost.key_id}`);

  log('a record that is not an event; an event that cannot be folded; a repeated event');
  const topic = await topicOf(stack, stream);
  await withKafka(
    stack,
    (kafka) => kafka.producer(),
    (producer) => producer.send({ topic, messages: [{ key: 'k', value: 'no event' }] }),
  );
  await core.post('/api/v1/events', {
    stream,
    event_type: 'order.placed',
    entity_id: 'e',
    data: { amount: '?' },
  });
  const twice = {
    stream,
    event_type: 'order.placed',
    entity_id: 'e',
    event_id: randomUUID(),
    data: { amount: 1 },
  };
  for (let i = 0; i < 2; i++) await core.post('/api/v1/events', twice);

  log('an entity is erased, and the materializer reads the log again');
  await query.send('DELETE', `/api/v1/entities/gone?stream=${stream}&confirm=gone`, { timeoutMs: 120_000 });
  await stack.materializer.stop();
  await withKafka(
    stack,
    (kafka) => kafka.admin(),
    (admin) => admin.deleteGroups([stack.topics.materializerGroup]),
  );
  await stack.materializer.launch().ready();
  await sleep(2_000);

  log('ClickHouse is down for some seconds');
  await engines.killClickHouse();
  await sleep(4_000);
  await engines.startClickHouse();
  await sleep(6_000);
  await load.stop();
  live.close();
}

async function written(answered) {
  const answer = await answered;
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json();
}

/** Calls `use` with a connected Kafka client that bypasses the apps. */
async function withKafka({ brokers }, clientOf, use) {
  const { Kafka, logLevel } = kafkajs;
  const client = clientOf(
    new Kafka({ clientId: 'check', brokers: brokers.split(','), logLevel: logLevel.NOTHING }),
  );
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.disconnect();
  }
}

/** Writes and reads continuously, and ignores errors. */
class Load {
  going = true;

  constructor(stack) {
    this.stack = stack;
    this.loops = [this.repeat(() => this.write()), this.repeat(() => this.read())];
  }

  async write() {
    const events = Array.from({ length: 50 }, (_, i) => ({
      stream,
      event_type: 'order.placed',
      entity_id: `order-${i}`,
      data: { amount: i },
    }));
    await this.stack.write.post('/api/v1/events/batch', { events });
    await this.stack.write.post('/api/v1/events', events[0]);
  }

  async read() {
    await this.stack.query.get(`/api/v1/events/query?stream=${stream}&limit=10`);
    await this.stack.query.get('/api/v1/projections/revenue/state/order-2');
  }

  async repeat(work) {
    while (this.going) {
      await work().catch(() => undefined);
      await sleep(200);
    }
  }

  async stop() {
    this.going = false;
    await Promise.all(this.loops);
  }
}
