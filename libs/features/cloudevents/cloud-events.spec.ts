import { gzipSync } from 'node:zlib';
import { CloudEvent, HTTP, type CloudEventV1, type Message } from 'cloudevents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cloudEventJson, decodeRejectedEvent, type EventRecord } from '#event';
import { formatTime } from '#json';
import type { ProblemDocument } from '#api';
import { schemaName, systemActor, type SchemaSubject } from '#registry';
import { zstd } from '../../../packages/zstd/src/zstd.fixture.js';
import { startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

const structured = 'application/cloudevents+json';
const batched = 'application/cloudevents-batch+json';
const address = '/api/v1/streams/shop/cloudevents';
const post = (body: string | Buffer | object, headers: Record<string, string>) =>
  given.post(address, body, headers);
const send = (body: string | Buffer | object, more: Record<string, string> = {}) =>
  post(body, { 'content-type': structured, ...more });
const sendBatch = (body: string | object, more: Record<string, string> = {}) =>
  post(body, { 'content-type': batched, ...more });
const sendMessage = ({ headers, body }: Message) => post(body as string, headers as Record<string, string>);

/** The example of the JSON event format, with additional attributes. */
const event = (more: object = {}) => ({
  ...{ specversion: '1.0', type: 'com.example.someevent', source: '/mycontext', id: 'C234-1234-1234' },
  ...more,
});
/** Returns attributes as headers of binary mode. */
const headers = (more: object = {}, type = 'application/json') => ({
  ...Object.fromEntries(Object.entries(event(more)).map(([name, value]) => [`ce-${name}`, String(value)])),
  'content-type': type,
});

const written = (): EventRecord[] => given.written('shop');
/** Returns the written events as CloudEvents. */
const returned = () =>
  written().map((one) => cloudEventJson({ ...one, timestamp: formatTime(one.timestamp) }, '/spec'));
const back = () => JSON.parse(returned()[0]!) as Record<string, unknown>;
const problem = (answer: { json(): unknown }) => answer.json() as ProblemDocument;

describe('a CloudEvent', () => {
  it('becomes an event, from which the same CloudEvent can be restored', async () => {
    const sent = event({
      ...{ subject: 'order-17', time: '2018-04-05T17:31:00.123456Z', datacontenttype: 'application/json' },
      ...{
        dataschema: 'https://example.com/s',
        comexampleextension1: 'value',
        comexampleothervalue: 5,
        flag: true,
      },
      ...{ unset: null, data: { appinfoA: 'abc' } },
    });
    const answer = await send(sent);
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(written()).toMatchObject([
      {
        ...{ event_type: 'com.example.someevent', entity_id: 'order-17', data: '{"appinfoA":"abc"}' },
        metadata:
          '{"ce_id":"C234-1234-1234","ce_source":"/mycontext","ce_datacontenttype":"application/json",' +
          '"ce_dataschema":"https://example.com/s","comexampleextension1":"value","comexampleothervalue":5,"flag":true}',
      },
    ]);
    const { unset: _, ...known } = sent as Record<string, unknown>;
    expect(back()).toEqual(known);
  });

  it('has the same id if it is sent again, and in every mode', async () => {
    await send(event({ data: {} }));
    await post('{}', headers());
    await sendBatch([event({ time: '2018-04-05T17:31:00Z', data: 1 }), event({ source: '/other' })]);
    const [first, ...others] = written().map(({ event_id }) => event_id);
    expect(first).toMatch(/^........-....-5...-[89ab]/);
    expect(others.filter((id) => id === first)).toHaveLength(2);
  });

  it.each([
    ['"I\'m just a string"', '"I\'m just a string"'],
    ['12345678901234567890', '12345678901234567890'],
    ['[1.50, {"a": 1e400}]', '[1.50, {"a": 1e400}]'],
    ['null', 'null'],
    ['{"big":  9007199254740993}', '{"big":  9007199254740993}'],
    ['{"value":1}', '{"value":1}'],
  ])('keeps the text of its data: %s', async (data, text) => {
    const answer = await send(`${JSON.stringify(event()).slice(0, -1)},"data": ${data} }`);
    expect(answer.statusCode).toBe(204);
    expect(returned()[0]).toContain(`"data":${text}}`);
  });

  it.each<[string, object]>([
    ['data', { data: { a: 1 } }],
    ['a text', { data: 'a' }],
    ['binary data', { data_base64: '/+8=' }],
    ['no data', {}],
  ])('without a content type is returned without one, with %s', async (_, data) => {
    await send(event(data));
    const { time: _time, ...others } = back();
    expect(others).toEqual(event(data));
  });

  it('may have no data or binary data', async () => {
    await send(event());
    await send(
      event({ id: 'b', data_base64: '/+8=', datacontenttype: 'application/vnd.apache.thrift.binary' }),
    );
    const events = returned().map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(events.find(({ id }) => id !== 'b')).not.toHaveProperty('data');
    expect(events.find(({ id }) => id === 'b')).toMatchObject({ data_base64: '/+8=' });
  });

  it.each<[string, string | Buffer, Record<string, string>]>([
    ['gzip', gzipSync(JSON.stringify(event())), { 'content-encoding': 'gzip' }],
    ['zstd', zstd(JSON.stringify(event())), { 'content-encoding': 'zstd' }],
    [
      'a parameter of the media type',
      JSON.stringify(event()),
      { 'content-type': `${structured}; charset=UTF-8` },
    ],
  ])('is accepted with %s', async (...row) => {
    expect((await send(row[1], row[2])).statusCode).toBe(204);
    expect(written()).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['another version', { specversion: '0.3' }, '/specversion'],
    ['no type', { type: undefined }, '/type'],
    ['an empty id', { id: '' }, '/id'],
    ['an unset source', { source: null }, '/source'],
    ['an empty subject', { subject: '' }, '/subject'],
    ['a long subject', { subject: 'x'.repeat(257) }, '/subject'],
    ['an impossible time', { time: '2018-02-30T00:00:00Z' }, '/time'],
    ['a name with capitals', { traceParent: 'x' }, '/traceParent'],
    ['a name with an underscore', { ce_id: 'x' }, '/ce_id'],
    ['an object as an attribute', { more: {} }, '/more'],
    ['a fraction', { more: 1.5 }, '/more'],
    ['an integer with more than 32 bits', { more: 2147483648 }, '/more'],
    ['control characters', { more: 'a\nb' }, '/more'],
    ['two kinds of data', { data: {}, data_base64: '' }, '/data_base64'],
    ['data_base64 that is not Base64', { data_base64: '_-8=' }, '/data_base64'],
    ['too many attributes', Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`a${n}`, ''])), ''],
  ])('is rejected with %s', async (...row) => {
    const answer = await send(event(row[1]));
    expect(problem(answer)).toMatchObject({ status: 400, errors: [{ pointer: row[2] }] });
    expect(given.records('shop')).toEqual([]);
  });

  it.each<[string, string]>([
    ['is a list', '[]'],
    ['has two events', JSON.stringify(event()) + JSON.stringify(event())],
    ['is not JSON', '{"specversion":'],
    ['has a name twice', '{"id":"a","id":"b"}'],
    ['is nested too deep', `{"data":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['is empty', ''],
  ])('is rejected if the body %s', async (...row) => {
    expect((await send(row[1])).statusCode).toBe(400);
    expect(given.records('shop')).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['another format', { 'content-type': 'application/cloudevents+xml', 'ce-specversion': '1.0' }],
    ['no format and no headers', { 'content-type': 'text/plain' }],
  ])('is a 415 with %s', async (...row) => {
    expect(problem(await post('{}', row[1])).code).toBe('unsupported_media_type');
  });

  it('is validated against the schema of its type, with pointers to the violations', async () => {
    await givenSchema('string');
    const answer = await send(event({ data: { amount: 1 } }));
    expect(problem(answer)).toMatchObject({ status: 422, errors: [{ pointer: '/data/amount' }] });
  });
});

const givenSchema = (type: string) => {
  const schema: SchemaSubject = {
    ...{
      stream: 'shop',
      event_type: 'com.example.someevent',
      compatibility: 'none',
      mode: 'enforce',
      retired: false,
    },
    versions: [
      { version: 1, schema: { properties: { amount: { type } } }, created_at: '2026-11-21T04:00:00.000000Z' },
    ],
  };
  return given.definitions.schemas.change(
    schemaName('shop', 'com.example.someevent'),
    () => schema,
    systemActor,
  );
};

describe('a CloudEvent in binary mode', () => {
  it.each<[string, string | Buffer, object]>([
    ['application/json', '{ "n": 1.0 }', {}],
    ['application/json', '"text"', { data: 'text' }],
    ['application/xml', '<much wow="xml"/>', { data: '<much wow="xml"/>' }],
    ['text/plain; charset=iso-8859-1', Buffer.from('ü', 'latin1'), { data_base64: '/A==' }],
    ['application/octet-stream', Buffer.from([0xff, 0xef]), { data_base64: '/+8=' }],
  ])('may have data of the type %s', async (type, body, expected) => {
    const answer = await post(body, headers({ comexampleothervalue: 5 }, type));
    expect(answer.statusCode).toBe(204);
    expect(back()).toMatchObject({ datacontenttype: type, comexampleothervalue: '5', ...expected });
  });

  it.each<[string, string | Buffer, object]>([
    ['text', 'hello', { data: 'hello' }],
    ['text that looks like JSON', '{"a":1}', { data: '{"a":1}' }],
    ['bytes', Buffer.from([0xff, 0xef]), { data_base64: '/+8=' }],
    ['nothing', '', {}],
  ])('without a content type is returned without one, with %s', async (...row) => {
    const [, payload, expected] = row;
    const { 'content-type': _, ...attributes } = headers();
    const answer = await given.app.instance.inject({
      ...{ method: 'POST', url: address, headers: attributes },
      ...(payload.length > 0 && { payload }),
    });
    expect(answer.statusCode).toBe(204);
    const { time, ...others } = back();
    expect(others).toEqual(event(expected));
    expect(time).toEqual(expect.any(String));
  });

  it.each([
    ['application/json; charset=utf-8', '{"a": 1}', { a: 1 }],
    ['application/vnd.shop.v1+json;v=1', '[1]', [1]],
    ['text/json', '1', 1],
    ['text/csv; header=present', 'a,b', 'a,b'],
    ['application/soap+xml', '<a/>', '<a/>'],
    ['application/x-shop', 'x', 'x'],
  ])('is returned with its content type %s', async (type, body, sent) => {
    expect((await post(body, headers({}, type))).statusCode).toBe(204);
    expect(back()).toMatchObject({ datacontenttype: type, data: sent });
  });

  it('keeps the text of JSON', async () => {
    await post(' { "n": 1.0 }\n', headers());
    expect(written()[0]!.data).toBe('{ "n": 1.0 }');
  });

  it('may have no body', async () => {
    const { 'content-type': _, ...attributes } = headers();
    const answer = await given.app.instance.inject({ method: 'POST', url: address, headers: attributes });
    expect(answer.statusCode).toBe(204);
    expect(back()).not.toHaveProperty('data');
  });

  // Section 3.1.3.2 of the HTTP binding: its example, and variants that must be accepted.
  it.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['%e2%82%ac', '€'],
    ['%41%2541', 'A%41'],
    ['"with \\"quotes\\" %C3%BC"', 'with "quotes" ü'],
    ['a "b" c', 'a "b" c'],
  ])('decodes percent-encoding once: %s', async (subject, expected) => {
    expect((await post('{}', headers({ subject }))).statusCode).toBe(204);
    expect(written()[0]!.entity_id).toBe(expected);
  });

  it.each([
    ['ce-subject', '%C0%A0'],
    ['ce-subject', '%ED%A0%80'],
    ['ce-subject', '100%'],
    ['ce-subject', 'ü'],
    ['ce-datacontenttype', 'application/json'],
    ['ce-data', 'x'],
    ['ce-a-b', 'x'],
    ['ce-specversion', '1'],
    ['ce-time', 'now'],
  ])('is rejected with %s: %s', async (header, value) => {
    const answer = await post('{}', { ...headers(), [header]: value });
    expect(problem(answer)).toMatchObject({ status: 400, errors: [{ pointer: header }] });
  });

  it.each(['{"a":1},"x":{"b":2}', '{', ''.padEnd(3), '{"a":1,"a":2}'])(
    'is rejected if its data is not exactly one JSON value: %s',
    async (body) => {
      expect((await post(body, headers())).statusCode).toBe(400);
      expect(given.records('shop')).toEqual([]);
    },
  );
});

describe('a batch of CloudEvents', () => {
  it('is written completely, and may be empty', async () => {
    const answer = await sendBatch([event(), event({ id: 'b' })], { prefer: 'return=representation' });
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([200, 'return=representation']);
    expect(answer.json()).toMatchObject({ accepted: 2, refused: 0 });
    expect((await sendBatch([])).statusCode).toBe(204);
    expect(written()).toHaveLength(2);
  });

  it('is rejected completely, with a pointer to the error', async () => {
    const answer = await sendBatch([event(), event({ id: '' })]);
    expect(problem(answer)).toMatchObject({ status: 400, errors: [{ pointer: '/1/id' }] });
    expect(given.records('shop')).toEqual([]);
  });

  it('keeps rejected events with lenient handling', async () => {
    const prefer = 'handling=lenient, return=representation';
    const answer = await sendBatch([event(), event({ type: '', subject: 'order-17' }), 7], { prefer });
    expect(answer.json()).toMatchObject({ accepted: 1, refused: 2, errors: [{ index: 1 }, { index: 2 }] });
    const kept = given.records('shop').flatMap(({ value }) => decodeRejectedEvent(value ?? '') ?? []);
    expect(kept.map(({ text, form }) => [text, form]).sort()).toEqual([
      ['7', 'cloudevent'],
      [JSON.stringify(event({ type: '', subject: 'order-17' })), 'cloudevent'],
    ]);
    expect(kept.map(({ entity_id }) => entity_id)).toContain('order-17');
  });

  it.each(['{}', '[] []', '[1', 'x'])('is rejected if it is not exactly one list: %s', async (body) => {
    expect((await sendBatch(body)).statusCode).toBe(400);
  });
});

describe('the CloudEvents SDK for JavaScript', () => {
  const sent = () =>
    new CloudEvent({
      ...{
        id: 'a-1',
        source: '/shop',
        type: 'order.placed',
        subject: 'order-17',
        time: '2026-11-21T04:00:00.123Z',
      },
      ...{
        datacontenttype: 'application/json',
        data: { amount: 12.5, name: 'Zoë' },
        traceparent: '00-a-b-01',
        retry: 2,
      },
    });

  it.each(['structured', 'binary'] as const)(
    'sends an event in %s mode and reads the same event',
    async (mode) => {
      const answer = await sendMessage(HTTP[mode](sent()));
      expect(answer.statusCode).toBe(204);
      const message = { headers: { 'content-type': structured }, body: returned()[0]! };
      const read = HTTP.toEvent(message) as CloudEventV1<unknown>;
      const retry = mode === 'binary' ? '2' : 2;
      expect(JSON.parse(JSON.stringify(read))).toEqual({
        ...(JSON.parse(JSON.stringify(sent())) as object),
        ...{ retry, time: '2026-11-21T04:00:00.123Z' },
      });
    },
  );

  it.each(['hello', '{"a":1}'])(
    'reads the same event as from a binary message without a content type: %s',
    async (body) => {
      const { 'content-type': _, ...attributes } = headers({ time: '2026-11-21T04:00:00.123Z' });
      await given.app.instance.inject({ method: 'POST', url: address, headers: attributes, payload: body });
      const read = HTTP.toEvent({ headers: { 'content-type': structured }, body: returned()[0]! });
      expect(JSON.stringify(read)).toBe(JSON.stringify(HTTP.toEvent({ headers: attributes, body })));
    },
  );

  it('reads a batch', async () => {
    await sendBatch([sent(), event({ data: [1] })]);
    const message = { headers: { 'content-type': batched }, body: `[${returned().join(',')}]` };
    const read = HTTP.toEvent(message) as CloudEventV1<unknown>[];
    expect(read.map(({ id }) => id).sort()).toEqual(['C234-1234-1234', 'a-1']);
  });
});
