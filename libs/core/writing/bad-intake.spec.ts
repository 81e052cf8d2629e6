import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeRejectedEvent, limits } from '#event';
import type { ProblemDocument } from '#api';
import { zstd, zstdBomb } from '../../../packages/zstd/src/zstd.fixture.js';
import { startTestIngest, type TestIngest } from './writing.fixture.js';

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

type Form = [url: string, headers: Record<string, string>, good: string];

const event = '{"specversion":"1.0","id":"a","source":"/s","type":"t","data":{}}';
const cloudEvents = '/api/v1/streams/s/cloudevents';
const binary = { 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-source': '/s', 'ce-type': 't' };
const lenient = { prefer: 'handling=lenient' };

/** Each format of a body, with a valid body. */
const forms: Record<string, Form> = {
  'raw lines': ['/api/v1/streams/s/raw?event_type=t', { 'content-type': 'application/x-ndjson' }, '{}\n{}\n'],
  'raw values': ['/api/v1/streams/s/raw?event_type=t', { 'content-type': 'application/json' }, '[{},{}]'],
  'a CloudEvent': [cloudEvents, { 'content-type': 'application/cloudevents+json', ...lenient }, event],
  'a batch of CloudEvents': [
    cloudEvents,
    { 'content-type': 'application/cloudevents-batch+json', ...lenient },
    `[${event}]`,
  ],
  'a CloudEvent in binary mode': [
    cloudEvents,
    { 'content-type': 'application/json', ...binary, ...lenient },
    '{}',
  ],
};

const send = ([url, headers]: Form, body: string | Buffer, more: Record<string, string> = {}) =>
  given.post(url, body, { ...headers, ...more });
const problem = (answer: { json(): unknown }) => answer.json() as ProblemDocument;
const kept = () => given.records('s').flatMap(({ value }) => decodeRejectedEvent(value ?? '') ?? []);

describe.each(Object.entries(forms))('%s', (_, form) => {
  const [, , good] = form;

  it('is accepted', async () => {
    expect((await send(form, good)).statusCode).toBeOneOf([200, 204]);
    expect(kept()).toEqual([]);
  });

  it.each<[string, Buffer, string]>([
    ['gzip that ends early', gzipSync(good).subarray(0, -9), 'gzip'],
    ['gzip without its end', gzipSync(good).subarray(0, 12), 'gzip'],
    ['zstd that ends early', zstd(good).subarray(0, -1), 'zstd'],
    ['zstd without its end', zstd(good).subarray(0, 6), 'zstd'],
    ['gzip that is not gzip', Buffer.from(good), 'gzip'],
    ['zstd that is gzip', gzipSync(good), 'zstd'],
  ])('is rejected as %s', async (...row) => {
    const [, body, encoding] = row;
    expect((await send(form, body, { 'content-encoding': encoding })).statusCode).toBe(400);
    expect(given.records('s')).toEqual([]);
  });

  it.each<[string, () => Buffer]>([
    ['gzip', () => gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))],
    ['zstd', () => zstdBomb(64)],
  ])('is rejected as a %s bomb', async (encoding, bomb) => {
    const answer = await send(form, bomb(), { 'content-encoding': encoding });
    expect(problem(answer).code).toBe('payload_too_large');
    expect(given.records('s')).toEqual([]);
  });

  it('is rejected with another Content-Encoding', async () => {
    const answer = await send(form, good, { 'content-encoding': 'br' });
    expect(problem(answer).code).toBe('unsupported_media_type');
  });

  it('is rejected as a million tiny lines', async () => {
    const answer = await send(form, '1\n'.repeat(1_000_000));
    expect(answer.statusCode).toBe(400);
    expect(given.records('s')).toEqual([]);
  });

  it('is rejected if it is larger than a request may be', async () => {
    const answer = await send(form, Buffer.alloc(limits.requestBytes + 1, ' '));
    expect(problem(answer).code).toBe('payload_too_large');
  });
});

const plain = '{"stream":"s","event_type":"t","data":{}}';
const batch = '/api/v1/events/batch';
const logRecord = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}}]}]}]}';
const json = { 'content-type': 'application/json' };

describe.each<[string, Form]>([
  ...Object.entries(forms),
  ['one event', ['/api/v1/events', json, plain]],
  ['a batch', [batch, json, `{"events":[${plain}]}`]],
  ['a batch of lines', [batch, { 'content-type': 'application/x-ndjson' }, `${plain}\n`]],
  ['OTLP/JSON', ['/v1/logs?stream=s', json, logRecord]],
])('%s', (_, form) => {
  const [, , good] = form;
  const marked = `\ufeff${good}`;
  const written = () => given.written('s').map(({ data }) => data);

  it.each<[string, string | Buffer, Record<string, string>]>([
    ['a byte-order mark', marked, {}],
    ['a byte-order mark in gzip', gzipSync(marked), { 'content-encoding': 'gzip' }],
    ['a byte-order mark in zstd', zstd(marked), { 'content-encoding': 'zstd' }],
    [
      'two gzip members, split within a character',
      Buffer.concat(
        [Buffer.from(marked).subarray(0, 2), Buffer.from(marked).subarray(2)].map((part) => gzipSync(part)),
      ),
      { 'content-encoding': 'gzip' },
    ],
    ['an empty gzip member', Buffer.concat([gzipSync(''), gzipSync(good)]), { 'content-encoding': 'gzip' }],
    [
      'two zstd frames',
      Buffer.concat([zstd(good.slice(0, 9)), zstd(good.slice(9))]),
      { 'content-encoding': 'zstd' },
    ],
  ])('is accepted with %s, like without', async (...row) => {
    const [, body, headers] = row;
    const answer = await send(form, body, headers);
    expect(answer.statusCode).toBeOneOf([200, 201, 204]);
    const found = written();
    await given.close();
    given = await startTestIngest();
    await send(form, good);
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(written());
  });

  it.each<[string, string | Buffer, Record<string, string>]>([
    ['two byte-order marks', `\ufeff${marked}`, {}],
    ['a byte-order mark of UTF-16', Buffer.from(marked, 'utf16le'), {}],
    ['only a byte-order mark', '\ufeff', {}],
    ...(
      [
        ['zero bytes and another member', [Buffer.alloc(5), gzipSync(good)]],
        ['zero bytes', [Buffer.alloc(1)]],
        ['other bytes', [Buffer.from('{}')]],
        ['the first byte of a member', [Buffer.from([0x1f])]],
        ['the beginning of a member', [gzipSync(good).subarray(0, 12)]],
        ['a zstd frame', [zstd(good)]],
      ] as [string, Buffer[]][]
    ).map(([name, rest]): [string, Buffer, Record<string, string>] => [
      `gzip and ${name}`,
      Buffer.concat([gzipSync(good), ...rest]),
      { 'content-encoding': 'gzip' },
    ]),
    ...(
      [
        ['zero bytes', [Buffer.alloc(5)]],
        ['other bytes', [Buffer.from('{}')]],
        ['the beginning of a frame', [zstd(good).subarray(0, 3)]],
        ['a gzip member', [gzipSync(good)]],
        ['a skippable frame that ends early', [Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9])]],
      ] as [string, Buffer[]][]
    ).map(([name, rest]): [string, Buffer, Record<string, string>] => [
      `zstd and ${name}`,
      Buffer.concat([zstd(good), ...rest]),
      { 'content-encoding': 'zstd' },
    ]),
  ])('is rejected with %s', async (...row) => {
    const [, body, headers] = row;
    const answer = await send(form, body, { prefer: 'handling=strict', ...headers });
    expect(answer.statusCode).toBe(400);
    expect(given.records('s')).toEqual([]);
  });
});

describe('a byte-order mark', () => {
  it('at the beginning of a later line is ignored, because joined files have it there', async () => {
    await send(forms['raw lines']!, '\ufeff{"a":1}\n\ufeff{"b":"\ufeffü"}\r\n\ufeff{"c":3}');
    await send(
      ['/api/v1/events/batch', { 'content-type': 'application/x-ndjson' }, ''],
      `${plain}\n\ufeff${plain}`,
    );
    expect(kept()).toEqual([]);
    const texts = given.written('s').map(({ data }) => data);
    expect(texts.sort()).toEqual(['{"a":1}', '{"b":"\ufeffü"}', '{"c":3}', '{}', '{}']);
  });

  it.each([
    ['within a line', '{"a":1}\n{"b":\ufeff2}'],
    ['after a value', '{"a":1}\n{"b":2}\ufeff'],
  ])('%s is no JSON', async (_, body) => {
    const answer = await send(forms['raw lines']!, body);
    expect(answer.json()).toMatchObject({ accepted: 1, refused: 1, errors: [{ code: 'invalid_json' }] });
  });

  it('between values that are no lines is ignored at the beginning of a line', async () => {
    await send(forms['raw lines']!, '[{"a":1},\n{"b":2}]\n\ufeff\n\ufeff{"c":3}', {
      'content-type': json['content-type'],
    });
    expect(kept()).toEqual([]);
    const texts = given.written('s').map(({ data }) => data);
    expect(texts.sort()).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  it.each<[string, Form, string]>([
    ['a raw value', forms['raw lines']!, '{"u":\n\ufeff1}'],
    ['an event', ['/api/v1/events', json, ''], plain.replace('{', '{\n\ufeff')],
    ['a batch', [batch, json, ''], `{"events":[\n\ufeff${plain}]}`],
    ['OTLP/JSON', ['/v1/logs?stream=s', json, ''], logRecord.replace('[', '[\n\ufeff')],
  ])('after a line feed inside %s is no JSON', async (_, form, body) => {
    const answer = await send(form, body, { ...json, prefer: 'handling=strict' });
    expect(answer.statusCode).toBe(400);
    expect(given.records('s')).toEqual([]);
  });

  it('in text data of a CloudEvent belongs to the data', async () => {
    const text = ['text/plain', '\ufeffü'] as const;
    await send([cloudEvents, { ...binary, 'content-type': text[0] }, ''], text[1]);
    expect(given.written('s')).toMatchObject([{ data: `{"value":"${text[1]}"}` }]);
  });

  it('does not change the ids of a repeated request', async () => {
    await send(forms['raw lines']!, '{}');
    await send(forms['raw lines']!, '\ufeff{}');
    expect(new Set(given.written('s').map(({ event_id }) => event_id)).size).toBe(1);
  });
});

describe('a line of 16 MiB', () => {
  const line = `"${'x'.repeat(limits.requestBytes - 16)}"`;
  const raw = (more: Record<string, string> = {}) => send(forms['raw lines']!, `{}\n${line}\n`, more);

  it('is kept truncated, and the other values are written', async () => {
    expect((await raw()).json()).toMatchObject({
      accepted: 1,
      refused: 1,
      errors: [{ code: 'payload_too_large' }],
    });
    expect(kept()).toMatchObject([{ cut: true, text: line.slice(0, 8192) }]);
  });

  it('is a 413 with strict handling', async () => {
    expect(problem(await raw({ prefer: 'handling=strict' })).code).toBe('payload_too_large');
    expect(given.records('s')).toEqual([]);
  });

  it('is kept truncated as data of a CloudEvent', async () => {
    const text = `[${event.replace('{}', line)}]`;
    const answer = await send(
      forms['a batch of CloudEvents']!,
      text.replace('xxxxxxxxxxxxxxxx'.repeat(8), ''),
    );
    expect(answer.statusCode).toBe(204);
    expect(kept()).toMatchObject([{ cut: true, form: 'cloudevent' }]);
  });

  it('is a 413 as data of a CloudEvent in binary mode with strict handling', async () => {
    const strict = { prefer: 'handling=strict' };
    expect(problem(await send(forms['a CloudEvent in binary mode']!, line, strict)).code).toBe(
      'payload_too_large',
    );
  });
});

describe('a body with mixed formats', () => {
  const raw = (body: string, type = 'application/json') =>
    send(forms['raw values']!, body, { 'content-type': type });

  it.each<[string, string, number, number]>([
    ['may have a list after lines', '{"a":1}\n[{"a":2},{"a":3}]\n', 2, 0],
    ['may have lines after a list', '[{"a":1}]\n{"a":2}\n{"a":3}\n', 3, 0],
    ['may have a list in a list', '[[1,2],[3]]', 2, 0],
    ['may not have a multi-line value after lines', '{"a":1}\n{\n"a":2}\n', 1, 2],
    ['may have carriage returns', '{"a":1}\r\n{"a":2}\r\n', 2, 0],
    ['may not have a comma after a line', '{"a":1},\n{"a":2}\n', 1, 1],
  ])('%s', async (...row) => {
    const [, body, accepted, refused] = row;
    expect((await raw(body)).json()).toMatchObject({ accepted, refused });
  });
});
