import type { ConsumerRecord, Producer } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { InMemoryTracing } from '#telemetry/memory';
import { beforeEach, expect, it } from 'vitest';
import { traced } from './traced-producer.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = (flags: string): Record<string, string> => ({
  'x-request-id': 'r-1',
  traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`,
});

let log: MemoryLog;
let tracing: InMemoryTracing;
let inner: Producer;
let producer: Producer;

beforeEach(async () => {
  log = new MemoryLog();
  tracing = new InMemoryTracing();
  for (const topic of ['a', 'b']) await log.admin.create(topic, { partitions: 1 });
  inner = await log.producer();
  producer = traced(inner, tracing);
});

const written = (topic: string): ConsumerRecord[] => log.topics.get(topic)!.partitions[0]!.records;

it('is the producer itself while tracing is off', () => {
  expect(traced(inner, undefined)).toBe(inner);
});

it('creates a span for an append below the request, and passes it on in the records', async () => {
  const shared = headers('01');
  const records = ['1', '2'].map((key) => ({ topic: 'a', key, value: key, headers: shared }));
  expect(await producer.append(records)).toHaveLength(2);
  const [send] = tracing.spans;
  expect(send).toMatchObject({
    ...{ name: 'send a', kind: 'producer', traceId, parentSpanId: '00f067aa0ba902b7' },
    attributes: {
      'messaging.system': 'kafka',
      'messaging.destination.name': 'a',
      'messaging.batch.message_count': 2,
      'tributary.request_id': 'r-1',
    },
  });
  for (const record of written('a')) {
    expect(String(record.headers.traceparent)).toBe(`00-${traceId}-${send!.spanId}-01`);
    expect(String(record.headers['x-request-id'])).toBe('r-1');
  }
});

it('has the position of a single record in the span', async () => {
  await producer.append([{ topic: 'a', key: '1', value: '1', headers: headers('01') }]);
  const place = { 'messaging.destination.partition.id': '0', 'messaging.kafka.offset': 0 };
  expect(tracing.spans[0]!.attributes).toMatchObject(place);
});

it('has no topic in the span of records of several topics', async () => {
  const shared = headers('01');
  await producer.append(['a', 'b'].map((topic) => ({ topic, key: '1', value: '1', headers: shared })));
  expect(tracing.spans).toMatchObject([{ name: 'send' }]);
});

it('passes on an append unchanged if its trace is not sampled', async () => {
  await producer.append([{ topic: 'a', key: '1', value: '1', headers: headers('00') }]);
  await producer.append([{ topic: 'a', key: '1', value: '1' }]);
  expect(tracing.spans).toEqual([]);
  expect(String(written('a')[0]!.headers.traceparent)).toBe(headers('00').traceparent);
});

it('records the error of an append, and rejects with it', async () => {
  const record = { topic: 'none', key: '1', value: '1', headers: headers('01') };
  await expect(producer.append([record])).rejects.toMatchObject({ name: 'UnknownTopicError' });
  expect(tracing.spans).toMatchObject([{ error: 'UnknownTopicError' }]);
});
