import { gzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#json';
import { limits } from '#event';
import { generateKey } from '#http';
import { schemaName, type SchemaSubject } from '#registry';
import { startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';
import { RejectedEventRevalidator } from '#features/dead-letters';
import {
  isJson,
  jsonOf,
  keptLogs,
  partialOf,
  protobufOf,
  writtenLogs,
  type Answer,
  type AnyValue,
  type TestOtlpRequest,
} from './otlp.fixture.js';

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

const json = { 'content-type': 'application/json' };
const protobuf = { 'content-type': 'application/x-protobuf' };
const post = (body: string | Buffer | object, headers: Record<string, string>, url = '/v1/logs') =>
  given.post(url, body, headers);
const encodings = {
  JSON: (logs: TestOtlpRequest, query = '') => post(jsonOf(logs), json, `/v1/logs${query}`),
  protobuf: (logs: TestOtlpRequest, query = '') => post(protobufOf(logs), protobuf, `/v1/logs${query}`),
};
const bothEncodings = Object.entries(encodings);

const shop = {
  attributes: [
    { key: 'service.name', value: { stringValue: 'shop' } },
    { key: 'process.pid', value: { intValue: '17' } },
    { key: 'tags', value: { arrayValue: { values: [{ stringValue: 'a' }] } } },
  ],
};
const value = (one: AnyValue): TestOtlpRequest => ({ records: [{ attributes: [{ key: 'a', value: one }] }] });
const written = () => writtenLogs(given);
const kept = () => keptLogs(given);

/** Parses the message of a google.rpc.Status. */
function statusOf(answer: Answer): string {
  if (isJson(answer)) return answer.json<{ message: string }>().message;
  const reader = new BinaryReader(answer.rawPayload);
  expect(reader.tag()[0]).toBe(2);
  return reader.string();
}

/** Sets the schema of the type `paid`. */
async function enforce(more: object = { required: ['order'] }): Promise<void> {
  const version = {
    version: 1,
    schema: { type: 'object', ...more },
    created_at: '2026-11-21T04:00:00.000000Z',
  };
  const subject: SchemaSubject = {
    ...{ stream: 'logs', event_type: 'paid', compatibility: 'none', mode: 'enforce' },
    ...{ retired: false, versions: [version] },
  };
  const actor = { key_id: null, port: 'core', request_id: null };
  await given.definitions.schemas.change(schemaName('logs', 'paid'), () => subject, actor);
}

/** Returns one scope with a number of empty records. */
function manyEmpty(count: number): Buffer {
  return protobufOf({ records: Array.from({ length: count }, () => ({})) });
}

describe.each(bothEncodings)('a log record in %s', (_, send) => {
  it('becomes an event', async () => {
    const answer = await send({
      resource: shop,
      scope: { name: 'cart', version: '1.2' },
      records: [
        {
          timeUnixNano: '1795000000123456789',
          observedTimeUnixNano: '1795000000200000000',
          ...{ severityNumber: 9, severityText: 'INFO', eventName: 'order.placed', flags: 1 },
          body: { stringValue: 'placed “17”' },
          attributes: [
            { key: 'order', value: { intValue: '9223372036854775807' } },
            { key: 'total', value: { doubleValue: 12.5 } },
          ],
          ...{ traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' },
        },
      ],
    });
    expect(answer.statusCode).toBe(200);
    const [event] = written();
    expect(event).toMatchObject({
      event_type: 'order.placed',
      entity_id: null,
      data: '{"order":9223372036854775807,"total":12.5,"body":"placed “17”"}',
    });
    expect(formatTime(event!.timestamp)).toBe('2026-11-18T11:06:40.123456Z');
    expect(JSON.parse(event!.metadata)).toEqual({
      ...{ 'resource.service.name': 'shop', 'resource.process.pid': 17, 'resource.tags': '["a"]' },
      ...{ 'scope.name': 'cart', 'scope.version': '1.2' },
      ...{ time_unix_nano: '1795000000123456789', observed_time_unix_nano: '1795000000200000000' },
      ...{ severity_number: 9, severity_text: 'INFO', trace_flags: 1 },
      ...{ trace_id: '5b8efff798038103d269b633813fc60c', span_id: 'eee19b7ec3c1b174' },
    });
  });

  it.each<[string, AnyValue, string]>([
    ['a text', { stringValue: 'Žluťoučký\u0000"' }, '"Žluťoučký\\u0000\\""'],
    ['an empty text', { stringValue: '' }, '""'],
    ['false', { boolValue: false }, 'false'],
    ['a negative integer', { intValue: '-9223372036854775808' }, '-9223372036854775808'],
    ['a double', { doubleValue: 0.1 }, '0.1'],
    ['NaN', { doubleValue: 'NaN' }, '"NaN"'],
    ['bytes', { bytesValue: 'AAH/' }, '"AAH/"'],
    ['nothing', {}, 'null'],
    ['a list', { arrayValue: { values: [{ intValue: '1' }, {}, { stringValue: 'b' }] } }, '[1,null,"b"]'],
    [
      'a map',
      { kvlistValue: { values: [{ key: '__proto__', value: { intValue: '1' } }, { key: 'n' }] } },
      '{"__proto__":1,"n":null}',
    ],
  ])('has %s as JSON', async (...row) => {
    const [, sent, stored] = row;
    expect((await send(value(sent))).statusCode).toBe(200);
    expect(written()).toMatchObject([{ event_type: 'log', data: `{"a":${stored}}` }]);
  });

  it('has the observed time if its own time is unknown', async () => {
    await send({ records: [{ observedTimeUnixNano: '1795000000200000000' }] });
    expect(formatTime(written()[0]!.timestamp)).toBe('2026-11-18T11:06:40.200000Z');
  });

  it('stores a resource with too many attributes as one member', async () => {
    const attributes = Array.from({ length: 100 }, (_, n) => ({ key: `a${n}`, value: { intValue: '1' } }));
    await send({ resource: { attributes }, records: [{ severityText: 'INFO' }] });
    const { resource, ...others } = JSON.parse(written()[0]!.metadata) as Record<string, string>;
    expect(Object.keys(JSON.parse(resource!) as object)).toHaveLength(100);
    expect(others).toEqual({ severity_text: 'INFO' });
  });

  it('stores an attribute with the name body in place of its body', async () => {
    const attributes = [{ key: 'body', value: { stringValue: 'attribute' } }];
    await send({ records: [{ attributes, body: { stringValue: 'body' } }] });
    expect(written()).toMatchObject([{ data: '{"body":"attribute"}', metadata: '{"body":"body"}' }]);
  });

  it('has the id that its sender assigned', async () => {
    const attributes = [{ key: 'log.record.uid', value: { stringValue: '01ARZ3NDEKTSV4RRFFQ69G5FAV' } }];
    await send({ records: [{ attributes }] });
    await send({ records: [{ attributes }, {}] });
    const [first, ...others] = written().map(({ event_id }) => event_id);
    expect(others.filter((id) => id === first)).toHaveLength(1);
  });

  it('has the same id when the request is repeated', async () => {
    const logs = { records: [{ eventName: 'a' }, { eventName: 'b' }] };
    await send(logs);
    await send(logs);
    expect(written()).toHaveLength(4);
    expect(new Set(written().map(({ event_id }) => event_id)).size).toBe(2);
  });

  it('is rejected alone: the others are written, and the answer counts it', async () => {
    await enforce();
    const answer = await send({ records: [{ eventName: 'paid' }, { eventName: 'other' }] });
    const { rejected, message } = partialOf(answer);
    expect([answer.statusCode, rejected]).toEqual([200, 1]);
    expect(message).toMatch(
      /^log record 1: The data does not match version 1 .*The rejected records are kept as dead letters\.$/,
    );
    expect(written()).toMatchObject([{ event_type: 'other' }]);
  });

  it('that was rejected can be replayed with its id', async () => {
    await enforce();
    const attributes = [{ key: 'log.record.uid', value: { stringValue: 'a' } }];
    const logs = { records: [{ eventName: 'paid', body: { stringValue: 'b' }, attributes }] };
    await send(logs);
    const [record] = kept();
    await enforce({});
    const replayed = await new RejectedEventRevalidator(given.definitions).read('logs', record!);
    expect(replayed).toMatchObject({
      ...{ event_type: 'paid', data: '{"log.record.uid":"a","body":"b"}', event_id: record!.event_id },
    });
  });

  it('is rejected if it is larger than an event may be, and the others are written', async () => {
    const stringValue = 'x'.repeat(limits.eventBytes);
    const answer = await send({ records: [{ eventName: 'a' }, { body: { stringValue } }] });
    expect([answer.statusCode, partialOf(answer).rejected]).toEqual([200, 1]);
    expect(written()).toMatchObject([{ event_type: 'a' }]);
  });

  it('without records is a success', async () => {
    expect((await send({ records: [] })).statusCode).toBe(200);
  });

  it('is written to the stream in the query', async () => {
    await send({ records: [{}] }, '?stream=shop.logs');
    expect(given.written('shop.logs')).toHaveLength(1);
  });
});

describe('an OTLP answer', () => {
  it('has the encoding of the request', async () => {
    const [asJson, asProtobuf] = [await post({}, json), await post(Buffer.alloc(0), protobuf)];
    expect([asJson.headers['content-type'], asJson.body]).toEqual(['application/json', '{}']);
    expect([asProtobuf.headers['content-type'], asProtobuf.body]).toEqual(['application/x-protobuf', '']);
  });

  it.each<[string, string | Buffer, Record<string, string>, number]>([
    ['JSON that is not JSON', '{"resourceLogs": [', json, 400],
    ['JSON with another form', '{"resourceLogs": {}}', json, 400],
    ['JSON that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), json, 400],
    ['protobuf that ends early', protobufOf(value({ stringValue: 'abc' })).subarray(0, -2), protobuf, 400],
    ['bytes that are not protobuf', Buffer.alloc(64, 0xff), protobuf, 400],
    ['JSON with a list of another form', '{"resourceLogs":[{"scopeLogs":[{"logRecords":1}]}]}', json, 400],
    ['JSON with text behind it', '{}{}', json, 400],
    [
      '100 001 records in JSON',
      JSON.stringify(jsonOf({ records: Array(100_001).fill({}) as [] })),
      json,
      413,
    ],
    ['400 001 unknown fields', Buffer.from('1800'.repeat(400_001), 'hex'), protobuf, 413],
    ['a group of 400 001 fields', Buffer.from(`1b${'1800'.repeat(400_001)}1c`, 'hex'), protobuf, 413],
    ['400 001 unknown members', `{${'"a":0,'.repeat(400_000)}"a":0}`, json, 413],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['gzip that ends early', gzipSync('{}').subarray(0, -9), { ...json, 'content-encoding': 'gzip' }, 400],
    ['a bomb', gzipSync(Buffer.alloc(2 ** 26)), { ...protobuf, 'content-encoding': 'gzip' }, 413],
    ['100 001 records', manyEmpty(100_001), protobuf, 413],
    ['100 001 resources', Buffer.from('0a00'.repeat(100_001), 'hex'), protobuf, 413],
  ])('rejects %s with a status', async (...row) => {
    const [, body, headers, status] = row;
    const answer = await post(body, headers);
    expect([answer.statusCode, statusOf(answer)]).toEqual([status, expect.stringMatching(/\w/)]);
    expect(given.records('logs')).toEqual([]);
  });

  it('rejects records that repeat a large resource too often', async () => {
    const attributes = [{ key: 'a', value: { stringValue: 'x'.repeat(500_000) } }];
    const records = Array.from({ length: 200 }, () => ({}));
    const answer = await post(protobufOf({ resource: { attributes }, records }), protobuf);
    expect([answer.statusCode, statusOf(answer)]).toEqual([
      413,
      expect.stringContaining('fewer log records'),
    ]);
    expect(given.records('logs')).toEqual([]);
  });

  it('accepts gzip', async () => {
    const body = gzipSync(protobufOf({ records: [{}] }));
    expect((await post(body, { ...protobuf, 'content-encoding': 'gzip' })).statusCode).toBe(200);
    expect(written()).toHaveLength(1);
  });

  it('requires a key that may write', async () => {
    await given.close();
    const { key, keyId, sha256 } = generateKey();
    const config = { INGEST_REQUIRE_KEYS: true, API_KEYS: [`${keyId}:${sha256}:events:read`] };
    given = await startTestIngest({ config });
    const headers = { ...protobuf, authorization: `Bearer ${key}` };
    const [none, read] = [await post('', protobuf), await post(protobufOf({ records: [{}] }), headers)];
    expect([none.statusCode, statusOf(none)]).toEqual([401, expect.stringMatching(/key/i)]);
    expect([read.statusCode, statusOf(read)]).toEqual([403, expect.stringContaining('events:write')]);
    expect(given.records('logs')).toEqual([]);
  });

  it('contains the reason if the stream may not be written to', async () => {
    const answer = await post({}, json, '/v1/logs?stream=tributary.audit');
    expect([answer.statusCode, statusOf(answer)]).toEqual([403, expect.stringContaining('tributary.')]);
  });
});
