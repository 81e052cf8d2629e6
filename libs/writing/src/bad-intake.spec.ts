import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeRejectedEvent, limits } from '#event';
import type { ProblemDocument } from '#api';
import { zstd, zstdBomb } from '../../zstd/src/zstd.fixture.js';
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
