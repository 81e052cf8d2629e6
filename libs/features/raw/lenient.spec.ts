import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeRejectedEvent, limits, type RejectedEventRecord } from '#event';
import type { ProblemDocument } from '#api';
import { generateKey } from '#http';
import { EventRejection } from '#writing';
import { RejectedEventRevalidator } from '#features/dead-letters';
import { event, startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';

interface Item {
  event_id?: string;
  partition?: number;
  offset?: number;
  error?: { code: string };
}

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

const lenient = { prefer: 'handling=lenient' };
const lines = { 'content-type': 'application/x-ndjson' };
const raw = (body: string, query = 'event_type=seen', headers: Record<string, string> = {}) =>
  given.post(`/api/v1/streams/access/raw?${query}`, body, headers);
const kept = (stream = 'access'): RejectedEventRecord[] =>
  given.records(stream).flatMap(({ value }) => decodeRejectedEvent(value ?? '') ?? []);
const items = (answer: { json(): unknown }) => (answer.json() as { events: Item[] }).events;

describe('a raw write with some rejected values', () => {
  it('writes the others, keeps the rejected ones, and is a 200', async () => {
    const answer = await raw('{"a":1}\n{"a":\n{"a":3}', 'event_type=seen&entity_id=ann');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).not.toHaveProperty('preference-applied');
    expect(answer.json()).toMatchObject({
      ...{ accepted: 2, refused: 1 },
      positions: [{ offset: 2 }],
      errors: [{ index: 1, code: 'invalid_json', status: 400, offset: 1 }],
    });
    expect(kept()).toMatchObject([
      {
        refused: { code: 'invalid_json', detail: expect.stringContaining('RFC 8259') as string, errors: [] },
        ...{ form: 'raw', mapping: { event_type: 'seen', entity_id: 'ann' } },
        ...{ entity_id: 'ann', cut: false, text: '{"a":' },
      },
    ]);
  });

  it('is a 200 even if all values are rejected', async () => {
    const answer = await raw('what\nis\nthis\n', 'event_type=seen', { ...lines, ...lenient });
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([200, 'handling=lenient']);
    expect(answer.json()).toMatchObject({ accepted: 0, refused: 3 });
    expect(
      kept()
        .map(({ text }) => text)
        .sort(),
    ).toEqual(['is', 'this', 'what']);
  });

  it('writes no value with strict handling', async () => {
    const strict = { prefer: 'handling=strict' };
    expect((await raw('{}\nwhat\n', 'event_type=seen', strict)).statusCode).toBe(400);
    expect(given.records('access')).toEqual([]);
    const answer = await raw('{}', 'event_type=seen', strict);
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([201, 'handling=strict']);
  });

  it('keeps the id that a value would have had: a repeated request has the same', async () => {
    await raw('{}\nwhat\n');
    await raw('{}\nwhat\n');
    const [first, second] = kept();
    expect(first!.event_id).toBe(second!.event_id);
  });

  it('keeps the pointers to the errors', async () => {
    await raw('{}\n{"kind":7.5,"id":{}}', 'event_type=/kind&entity_id=/id');
    expect(kept().map(({ refused }) => refused.errors.map(({ pointer }) => pointer))).toEqual(
      expect.arrayContaining([['/0/kind'], ['/1/id']]),
    );
  });

  it('says why a value was rejected, in a text of bounded length', async () => {
    const answer = await raw('{"kind":"a"}\n\n{}', 'event_type=/kind', lines);
    expect(answer.json()).toMatchObject({
      errors: [
        { index: 1, detail: expect.stringMatching(/^The event is not valid\. \/kind event_type /) as string },
      ],
    });
    const pointer = `/0/${'a'.repeat(1000)}`;
    const long = new EventRejection('invalid_request', 'No.', [{ pointer, detail: 'is wrong' }]);
    expect(long.reason).toBe(`No. ${pointer.slice(2)}`.slice(0, 500) + '…');
  });

  it('lists a hundred errors', async () => {
    const answer = await raw('what\n'.repeat(500), 'event_type=seen', lines);
    expect(answer.json()).toMatchObject({ refused: 500, errors: { length: 100 } });
  });

  it('keeps the beginning of a value that is too large', async () => {
    await raw(`{"a":"${'x'.repeat(limits.requestBytes - 100)}"}`);
    const [record] = given.records('access');
    expect(record!.value!.length).toBeLessThan(20_000);
    expect(kept()).toMatchObject([{ cut: true, refused: { code: 'payload_too_large' } }]);
  });

  const deep = (levels: number) => `{"deep":${'['.repeat(levels)}"]"${']'.repeat(levels)}}`;

  it.each<[string, string, Record<string, string>]>([
    ['a list', `[{"a":1},${deep(70)},{"b":2}, ${deep(9_000)},{"c":3}]`, {}],
    ['a sequence', `{"a":1}${deep(70)}{"b":2} ${deep(9_000)}\n{"c":3}`, {}],
    ['lines', `{"a":1}\n${deep(70)}\n{"b":2}\n${deep(9_000)}\n{"c":3}`, lines],
    [
      'lines of JSON, the first of which is too deep',
      `${deep(70)}\n${deep(9_000)}\n{"a":1}\n{"b":2}\n{"c":3}`,
      {},
    ],
  ])('rejects a value that is nested too deep alone, in %s', async (_, body, headers) => {
    const answer = await raw(body, 'event_type=seen', headers);
    expect(answer.json()).toMatchObject({ accepted: 3, refused: 2 });
    const lengths = kept().map(({ text }) => text.length);
    expect(lengths.sort((a, b) => a - b)).toEqual([deep(70).length, deep(9_000).length]);
  });

  it('rejects what follows a deep value whose end brackets do not tell', async () => {
    const answer = await raw(`[{"a":1},${'['.repeat(70)}}${']'.repeat(70)},{"b":2}]`);
    expect(answer.json()).toMatchObject({ accepted: 1, refused: 1 });
  });

  it('keeps a value whose entity id is too long, without it', async () => {
    const answer = await raw(
      `{"id":"${'é'.repeat(257)}"}\n{"id":"${'x'.repeat(1_000_000)}"}`,
      'event_type=seen&entity_id=/id',
    );
    expect(answer.json()).toMatchObject({ accepted: 0, refused: 2 });
    expect(kept()).toMatchObject([{ entity_id: null }, { entity_id: null, cut: false }]);
    const record = given.records('access').find(({ value }) => value!.length > 1_000_000)!;
    expect(record.value!.length + record.key!.length).toBeLessThan(1_100_000);
  });

  it('keeps a value whose error names a long member, with the beginning of the name', async () => {
    const name = 'n'.repeat(300_000);
    await raw(`{"${name}":1,"${name}":2}`);
    const [{ refused, text } = { refused: { errors: [] }, text: '' }] = kept();
    expect(refused.errors[0]?.pointer.length).toBeLessThan(600);
    expect(text.length).toBeGreaterThan(600_000);
  });

  it.each<[string, string, number]>([
    ['a first line that is not JSON', '{"a":\n{"b":1}\n{"b":2}\n', 2],
    ['a first line with a word', 'hello\n{"b":1}', 1],
    ['an object of several lines', '{"a":\n{"b":1}\n}', 1],
    ['two objects of several lines', '{\n"a":1}\n{"a":\n{"b":1}\n}', 2],
  ])('finds the lines of a body of the type JSON: %s', async (_, body, accepted) => {
    expect((await raw(body)).json()).toMatchObject({ accepted });
  });

  it('ignores byte-order marks between joined files, with or without a line feed before them', async () => {
    const body = '\ufeff{"a":1}\ufeff{"b":2}\n\ufeff{"c":3}\n \ufeff {"d":4}\ufeff';
    expect((await raw(body)).json()).toMatchObject({ accepted: 4, refused: 0 });
  });

  it('rejects only the values with bytes that are not UTF-8', async () => {
    const bytes = (text: string) => Buffer.from(text, 'latin1');
    const list = given.post(
      '/api/v1/streams/access/raw?event_type=seen',
      bytes('[{"a":1},{"b":"\xe9"},{"c":3}]'),
    );
    expect((await list).json()).toMatchObject({
      accepted: 2,
      refused: 1,
      errors: [{ code: 'invalid_json' }],
    });
    const answer = await given.post(
      '/api/v1/streams/access/raw?event_type=seen',
      bytes('{"a":1}\n{"b":"\xe9"}\n"\xef\xbf\xbd"\n{"c":3}\n'),
      lines,
    );
    expect(answer.json()).toMatchObject({ accepted: 2, refused: 2 });
    expect(kept().map(({ text }) => text)).toContain('{"b":"\ufffd"}');
    const strict = await given.post('/api/v1/streams/access/raw?event_type=seen', bytes('"\xe9"'), {
      prefer: 'handling=strict',
    });
    expect(strict.statusCode).toBe(400);
  });

  it('is not replayed from a text in which U+FFFD stands for bytes', async () => {
    const body = Buffer.from('{"name":"M\xfcller"}', 'latin1');
    await given.post('/api/v1/streams/access/raw?event_type=seen', body, lines);
    const [record] = kept();
    expect(await new RejectedEventRevalidator(given.definitions).read('access', record!)).toBe(
      'it had bytes that are not UTF-8, which are not kept',
    );
  });

  it('does not take a document of several lines that is too deep for lines', async () => {
    const document = `{"a":\n{"b":1}\n,"c":${'['.repeat(70)}${']'.repeat(70)}}`;
    expect((await raw(document)).json()).toMatchObject({ accepted: 0, refused: 1 });
  });

  it('is a 400 if U+FFFD would make the body larger than a body may be', async () => {
    const body = Buffer.alloc(limits.requestBytes / 2, 0xff);
    expect((await given.post('/api/v1/streams/access/raw?event_type=seen', body, lines)).statusCode).toBe(
      400,
    );
    expect(kept()).toEqual([]);
  });

  it('may have U+FFFD in a body that is UTF-8', async () => {
    expect((await raw('{"a":"\ufffd"}')).json()).toMatchObject({ accepted: 1, refused: 0 });
  });

  it('rejects the rest of a list, or of multi-line values, as one value', async () => {
    await raw('[{"a":1},{"b":2] {"c":3}\n');
    expect(kept().map(({ text }) => text)).toEqual(['{"b":2] {"c":3}\n']);
    expect(given.records('access')).toHaveLength(2);
  });
});

describe('a batch with lenient handling', () => {
  it('rejects an event that is nested too deep alone', async () => {
    const tooDeep = `{"stream":"shop","event_type":"t","data":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`;
    const good = JSON.stringify(event());
    const batch = `{"events":[${good},${tooDeep},${good}]}`;
    const answer = await given.post('/api/v1/events/batch', batch, lenient);
    expect(answer.statusCode).toBe(200);
    expect(items(answer).map(({ error }) => error?.code)).toEqual([undefined, 'invalid_json', undefined]);
  });

  it('rejects the lines with bytes that are not UTF-8, and keeps them', async () => {
    const sent = (data: string) => `{"stream":"access","event_type":"t","data":{"a":"${data}"}}`;
    const body = Buffer.from([sent('x'), sent('\xe9'), sent('y')].join('\n'), 'latin1');
    const answer = await given.post('/api/v1/events/batch', body, { ...lines, ...lenient });
    expect(answer.statusCode).toBe(200);
    expect(items(answer).map(({ error }) => error?.code)).toEqual([undefined, 'invalid_json', undefined]);
    expect(kept()).toMatchObject([{ text: sent('\ufffd'), refused: { code: 'invalid_json' } }]);
    const json = Buffer.from(`{"events":[${sent('\xe9')}]}`, 'latin1');
    expect((await given.post('/api/v1/events/batch', json, lenient)).statusCode).toBe(400);
  });

  it('is a 200, and keeps rejected events', async () => {
    const broken = { ...event({ entity_id: 'o-1' }), data: 7 };
    const answer = await given.batch({ events: [event(), broken] }, lenient);
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([200, 'handling=lenient']);
    expect(answer.json()).toMatchObject({ accepted: 1, rejected: 1 });
    const position = { partition: expect.any(Number) as number, offset: expect.any(Number) as number };
    expect(items(answer)[1]).toEqual({
      error: expect.objectContaining({ code: 'invalid_request' }) as object,
      ...position,
    });
    expect(kept('orders')).toMatchObject([
      {
        form: 'event',
        entity_id: 'o-1',
        text: JSON.stringify(broken),
        refused: { errors: [{ pointer: '/events/1/data' }] },
      },
    ]);
  });

  it('without errors is a 200, and a 201 without the preference', async () => {
    expect((await given.batch({ events: [event()] })).statusCode).toBe(201);
    expect((await given.batch({ events: [event()] }, lenient)).statusCode).toBe(200);
  });

  it('is a 207 without the preference, and keeps nothing', async () => {
    expect((await given.batch({ events: [event(), event({ data: 7 })] })).statusCode).toBe(207);
    expect(kept('orders')).toEqual([]);
  });

  it('lists events without a stream in which they can be kept', async () => {
    const answer = await given.batch({ events: [event(), { ...event(), stream: '..' }, 7] }, lenient);
    expect(answer.statusCode).toBe(200);
    const listed = items(answer).slice(1);
    expect(listed.map((item) => Object.keys(item))).toEqual([['error'], ['error']]);
    expect(given.records('orders')).toHaveLength(1);
  });

  it('is a 400 if nothing was written or kept', async () => {
    const answer = await given.batch({ events: [7] }, lenient);
    expect([answer.statusCode, answer.json<ProblemDocument>().code]).toEqual([400, 'invalid_request']);
  });

  it('writes nothing of an atomic batch with an invalid event, and reports no lenient handling', async () => {
    const body = { events: [event(), event({ data: 7 })] };
    const answer = await given.post('/api/v1/events/batch?atomic=true', body, lenient);
    expect([answer.statusCode, answer.headers['preference-applied']]).toEqual([400, undefined]);
    expect(given.records('orders')).toEqual([]);
  });

  it('also keeps an event with an invalid entity and an invalid id', async () => {
    await given.batch({ events: [event({ entity_id: 7, event_id: 'x' })] }, lenient);
    const [record] = kept('orders');
    expect(record).toMatchObject({
      entity_id: null,
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });
});

describe('the rejected events of a request with a key', () => {
  it('contain nothing of the key, and are not kept in a stream that the key does not cover', async () => {
    await given.close();
    const { key, keyId, sha256 } = generateKey();
    const config = { INGEST_REQUIRE_KEYS: true, API_KEYS: [`${keyId}:${sha256}:events:write`] };
    given = await startTestIngest({ config });
    const authorization = `Bearer ${key}`;
    await raw('what', 'event_type=seen', { authorization });
    const value = String(given.records('access')[0]!.value);
    for (const secret of [key, keyId, sha256]) expect(value).not.toContain(secret);
    const wrong = { ...event(), stream: 'tributary.audit', data: 7 };
    const answer = await given.batch({ events: [event(), wrong] }, { authorization, ...lenient });
    expect(items(answer)[1]).toEqual({ error: expect.anything() as object });
    expect(kept('tributary.audit')).toEqual([]);
  });
});
