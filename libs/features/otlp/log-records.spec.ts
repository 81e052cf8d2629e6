import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatTime } from '#json';
import { ProblemError } from '#api';
import { EventRejection } from '#writing';
import { logRecords } from './logs-reader.js';
import { startTestIngest, type TestIngest } from '../../core/writing/writing.fixture.js';
import { RejectedEventRevalidator } from '#features/dead-letters';
import {
  jsonOf,
  keptLogs,
  partialOf,
  protobufOf,
  writtenLogs,
  type AnyValue,
  type TestOtlpRequest,
} from './otlp.fixture.js';

let given: TestIngest;
beforeEach(async () => void (given = await startTestIngest()));
afterEach(() => given.close());

const postJson = (body: string | Buffer) =>
  given.post('/v1/logs', body, { 'content-type': 'application/json' });
const postProtobuf = (body: Buffer) =>
  given.post('/v1/logs', body, { 'content-type': 'application/x-protobuf' });
const encodings = Object.entries({
  JSON: (...logs: TestOtlpRequest[]) =>
    postJson(
      JSON.stringify({
        resourceLogs: logs.flatMap((one) => (jsonOf(one) as { resourceLogs: object[] }).resourceLogs),
      }),
    ),
  // Encoded messages one after the other are one message, whose repeated fields have all elements.
  protobuf: (...logs: TestOtlpRequest[]) => postProtobuf(Buffer.concat(logs.map(protobufOf))),
});
const written = () => writtenLogs(given);
const metadata = () => JSON.parse(written()[0]!.metadata) as Record<string, unknown>;

/** A request in JSON with these records as JSON text. */
const around = (...records: string[]) =>
  `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${records.join(',')}]}]}]}`;
const attribute = (value: string) => `{"attributes":[{"key":"a","value":${value}}]}`;
const good = '{"eventName":"good"}';

/** An encoded length-delimited field. */
const field = (number: number, ...parts: Uint8Array[]) =>
  Buffer.from(new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(Buffer.concat(parts)).finish());
const text = (number: number, value: string) => field(number, Buffer.from(value));
const bytes = (hex: string) => Buffer.from(hex, 'hex');
/** A request in protobuf with these encoded records. */
const aroundBytes = (...records: Buffer[]) =>
  field(1, field(2, ...records.map((record) => field(2, record))));
const goodBytes = text(12, 'good');
const integer = (value: number) => bytes(`18${value.toString(16).padStart(2, '0')}`);

/** The number of log records in a body that is JSON; undefined if it is not JSON. */
function recordsIn(body: string): number | undefined {
  try {
    const { resourceLogs } = JSON.parse(body) as {
      resourceLogs?: { scopeLogs?: { logRecords?: unknown[] }[] }[];
    };
    const scopes = (resourceLogs ?? []).flatMap((one) => one?.scopeLogs ?? []);
    return scopes.reduce((count, one) => count + (one?.logRecords?.length ?? 0), 0);
  } catch {
    return undefined;
  }
}

/** The numbers of log records that are read from a body, and rejected; undefined if the body is refused. */
function readIn(body: string): { read: number; rejected: number } | undefined {
  try {
    const all = Array.from(logRecords('application/json', Buffer.from(body)), ({ record }) => record);
    const rejected = all.filter((one) => one instanceof EventRejection).length;
    return { read: all.length - rejected, rejected };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

const deep = (levels: number): AnyValue => {
  let value: AnyValue = { intValue: '1' };
  for (let i = 0; i < levels; i++)
    value = i % 2 ? { kvlistValue: { values: [{ key: 'k', value }] } } : { arrayValue: { values: [value] } };
  return value;
};

describe.each(encodings)('a log record in %s', (_, send) => {
  it('has the last value of an attribute that is given twice, at each level', async () => {
    const twice = [
      { key: 'a', value: { intValue: '1' } },
      { key: 'b', value: { intValue: '2' } },
      { key: 'a', value: { stringValue: 'last' } },
    ];
    const records = [{ attributes: [...twice, { key: 'map', value: { kvlistValue: { values: twice } } }] }];
    await send({ resource: { attributes: twice }, records });
    expect(written()).toMatchObject([{ data: '{"a":"last","b":2,"map":{"a":"last","b":2}}' }]);
    expect(metadata()).toEqual({ 'resource.a': 'last', 'resource.b': 2 });
  });

  it('has the last event name and id that its attributes give twice', async () => {
    const attributes = ['first', 'last'].flatMap((stringValue) => [
      { key: 'event.name', value: { stringValue } },
      { key: 'log.record.uid', value: { stringValue } },
    ]);
    await send({ records: [{ attributes }, { attributes: attributes.slice(2) }] });
    const [first, second] = written();
    expect(first).toMatchObject({ event_type: 'last', event_id: second!.event_id });
  });

  it('has values that are nested 32 levels deep', async () => {
    const answer = await send({ records: [{ attributes: [{ key: 'a', value: deep(32) }] }] });
    expect(answer.statusCode).toBe(200);
    expect(written()[0]!.data).toContain('[{"k":[{"k":[1]}]}]');
  });

  it.each([33, 100, 1000])('that is nested %i levels deep is rejected alone', async (levels) => {
    const records = [{ body: deep(levels) }, { eventName: 'good' }];
    const { rejected, message } = partialOf(await send({ records }));
    expect([rejected, message]).toEqual([
      1,
      expect.stringContaining('log record 1: The log record cannot be read: a value is nested'),
    ]);
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });

  it.each([33, 60, 1000])(
    'with a resource or a scope that is nested %i levels deep is rejected without the others',
    async (levels) => {
      const attributes = [{ key: 'a', value: deep(levels) }];
      const groups: Omit<TestOtlpRequest, 'records'>[] = [
        { resource: { attributes } },
        { scope: { attributes } },
      ];
      for (const group of groups) {
        const { rejected } = partialOf(
          await send({ ...group, records: [{ eventName: 'bad' }] }, { records: [{ eventName: 'good' }] }),
        );
        expect(rejected).toBe(1);
      }
      expect(written()).toMatchObject([{ event_type: 'good' }, { event_type: 'good' }]);
    },
  );

  it.each<[string, string]>([
    ['a time that no event may have', '18446744073709551615'],
    ['the first time of the year 2200', '7258118400000000000'],
  ])('with %s has the observed time, and the exact one in its metadata', async (...row) => {
    const [, timeUnixNano] = row;
    await send({ records: [{ timeUnixNano, observedTimeUnixNano: '1764000000000000000' }] });
    expect(written()).toMatchObject([{ timestamp: 1_764_000_000_000_000 }]);
    expect(metadata()).toMatchObject({ time_unix_nano: timeUnixNano });
    await send({ records: [{ timeUnixNano }] });
    expect(written()).toHaveLength(2);
  });

  it.each([
    ['a line feed', 'a\nb'],
    ['257 characters', 'x'.repeat(257)],
  ])('with %s in its event name has the name in its metadata', async (...row) => {
    await send({ records: [{ eventName: row[1] }] });
    expect(written()).toMatchObject([{ event_type: 'log' }]);
    expect(metadata()).toEqual({ event_name: row[1] });
  });

  it('with too many values is rejected alone', async () => {
    const values = Array.from({ length: 50_000 }, () => ({ boolValue: true }));
    const answer = await send({ records: [{ body: { arrayValue: { values } } }, { eventName: 'good' }] });
    const { rejected, message } = partialOf(answer);
    expect([rejected, message]).toEqual([1, expect.stringContaining('too many')]);
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });

  it('without ids of a trace, which some senders write as zeros, has none', async () => {
    await send({ records: [{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), flags: 1 }] });
    expect(metadata()).toEqual({ trace_flags: 1 });
  });

  it('with ids of another length is rejected alone, with the reason', async () => {
    const records = [{ traceId: 'abcd' }, { spanId: 'abcd' }, { eventName: 'good' }];
    const { rejected, message } = partialOf(await send({ records }));
    expect([rejected, message]).toEqual([
      2,
      expect.stringMatching(/record 1: .* traceId has \d bytes instead of 16.* 2: .* spanId has \d bytes/),
    ]);
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });
});

describe('a log record in JSON', () => {
  it.each<[string, string, string]>([
    ['an integer as a number', '{"intValue":17}', '17'],
    ['an integer beyond 2^53 as a number', '{"intValue":-9223372036854775808}', '-9223372036854775808'],
    ['an integer with an exponent', '{"intValue":1.5e3}', '1500'],
    ['an integer with an exponent as a text', '{"intValue":"15e17"}', '1500000000000000000'],
    ['an integer with a fraction of zeros', '{"intValue":"-17.00"}', '-17'],
    ['an integer divided by an exponent', '{"intValue":1700E-2}', '17'],
    ['zero with a large exponent', '{"intValue":-0e999999999}', '0'],
    ['a double as a text', '{"doubleValue":"1.5e2"}', '150'],
    ['an infinity', '{"doubleValue":"-Infinity"}', '"-Infinity"'],
    ['bytes in URL-safe Base64 without padding', '{"bytesValue":"-_8"}', '"+/8="'],
    ['original names', '{"kvlist_value":{"values":[{"key":"b","value":{"int_value":1}}]}}', '{"b":1}'],
    ['null for a list', '{"arrayValue":{"values":null}}', '[]'],
    ['null for a value', '{"stringValue":null}', 'null'],
    ['a name with escapes', '{"string\\u0056alue":"x"}', '"x"'],
    ['half a surrogate pair', '{"stringValue":"a\\ud83d"}', '"a�"'],
    ['the last of several kinds', '{"intValue":1,"stringValue":"x","boolValue":true}', 'true'],
    ['unknown members', '{"x":[{"]":"\\"}"}],"intValue":1,"y":{"z":[]}}', '1'],
    ['an unknown kind of value', '{"x":1}', 'null'],
    [
      'a list that is given twice',
      '{"arrayValue":{"values":[{}]},"arrayValue":{"values":[{}]}}',
      '[null,null]',
    ],
  ])('may have %s', async (_name, sent, stored) => {
    expect((await postJson(around(attribute(sent)))).body).toBe('{}');
    expect(written()).toMatchObject([{ data: `{"a":${stored}}` }]);
  });

  it.each([
    ['numbers', '"timeUnixNano":1795000000123456789,"observedTimeUnixNano":1795000000200000001'],
    ['texts', '"timeUnixNano":"1795000000123456789","observedTimeUnixNano":"1795000000200000001"'],
    ['original names', '"time_unix_nano":1795000000123456789,"observed_time_unix_nano":1795000000200000001'],
    ['exponents', '"timeUnixNano":1.795000000123456789e18,"observedTimeUnixNano":"1795000000200000001e0"'],
  ])('may have its times as %s', async (_name, members) => {
    await postJson(around(`{${members}}`));
    expect(formatTime(written()[0]!.timestamp)).toBe('2026-11-18T11:06:40.123456Z');
    expect(metadata()).toEqual({
      ...{ time_unix_nano: '1795000000123456789', observed_time_unix_nano: '1795000000200000001' },
    });
  });

  it.each([
    ['its number', '9'],
    ['a text of its number', '"9"'],
    ['its name', '"SEVERITY_NUMBER_INFO"'],
  ])('may have its severity as %s', async (_name, severity) => {
    await postJson(around(`{"severityNumber":${severity},"flags":"1","droppedAttributesCount":"x"}`));
    expect(metadata()).toEqual({ severity_number: 9, trace_flags: 1 });
  });

  it('has null for the default of each field', async () => {
    const names = [
      'timeUnixNano',
      'severityNumber',
      'severityText',
      'body',
      'attributes',
      'flags',
      'traceId',
    ];
    const members = names.map((name) => `"${name}":null`).join(',');
    expect((await postJson(around(`{${members}}`, 'null'))).body).toBe('{}');
    expect(written()).toMatchObject([
      { data: '{}', metadata: '{}' },
      { data: '{}', metadata: '{}' },
    ]);
  });

  it.each([
    ['hexadecimal', '5B8EFFF798038103D269B633813FC60C', 'EEE19B7EC3C1B174'],
    ['Base64', 'W47/95gDgQPSabYzgT/GDA==', '7uGbfsPBsXQ='],
    ['URL-safe Base64 without padding', 'W47_95gDgQPSabYzgT_GDA', '7uGbfsPBsXQ'],
  ])('may have ids in %s', async (_name, traceId, spanId) => {
    await postJson(around(JSON.stringify({ traceId, spanId })));
    expect(metadata()).toEqual({
      ...{ trace_id: '5b8efff798038103d269b633813fc60c', span_id: 'eee19b7ec3c1b174' },
    });
  });

  it('continues a resource, a scope, a body and lists that are given twice', async () => {
    const pair = (key: string) => `{"attributes":[{"key":"${key}","value":{"intValue":1}}]}`;
    const record = '{"body":{"stringValue":"a"},"body":{"stringValue":"b"}}';
    await postJson(
      `{"resourceLogs":[{"resource":${pair('a')},"scopeLogs":[{"scope":{"name":"s"},"logRecords":[${record}],` +
        `"scope":{"version":"1"},"log_records":[${good}]}],"resource":${pair('b')}}],"resource_logs":[{}]}`,
    );
    expect(metadata()).toEqual({
      ...{ 'resource.a': 1, 'resource.b': 1, 'scope.name': 's', 'scope.version': '1' },
    });
    expect(written().map(({ data }) => data)).toEqual(['{"body":"b"}', '{}']);
  });

  it.each<[string, string]>([
    ['a record that is no object', '17'],
    ['a text for a time', '{"timeUnixNano":"2026-11-21"}'],
    ['a negative time', '{"timeUnixNano":-1}'],
    ['a time beyond 64 bits', '{"timeUnixNano":18446744073709551616}'],
    ['an integer with a fraction', attribute('{"intValue":1.5}')],
    ['an integer beyond 64 bits', attribute('{"intValue":9223372036854775808}')],
    ['an integer with a large exponent', attribute('{"intValue":1e999999999}')],
    ['an integer of a million digits', attribute(`{"intValue":${'1'.repeat(1_000_000)}}`)],
    ['an integer with space', attribute('{"intValue":" 1"}')],
    ['a double beyond its range', attribute('{"doubleValue":1e999}')],
    ['a hexadecimal double', attribute('{"doubleValue":"0x10"}')],
    ['NaN that is not a text', attribute('{"doubleValue":NaN}')],
    ['a boolean as a text', attribute('{"boolValue":"true"}')],
    ['a text that is a number', attribute('{"stringValue":1}')],
    ['bytes that are not Base64', attribute('{"bytesValue":"?"}')],
    ['attributes that are no list', '{"attributes":{}}'],
    ['a value that is no object', attribute('1')],
    ['a key that is no text', '{"attributes":[{"key":1}]}'],
    ['an unknown severity', '{"severityNumber":"LOUD"}'],
    ['negative flags', '{"flags":-1}'],
    ['an id that is neither hexadecimal nor Base64', '{"traceId":"?"}'],
    ['a text with a control character', '{"severityText":"\u0001"}'],
    ['an invalid escape', '{"severityText":"\\x"}'],
    ['a missing colon', '{"severityText" "x"}'],
    ['a missing comma', '{"severityText":"x" "flags":1}'],
  ])('with %s is rejected alone, and kept as it was sent', async (_name, record) => {
    const answer = await postJson(around(good, record, good));
    const { rejected, message } = partialOf(answer);
    expect([answer.statusCode, rejected, message]).toEqual([
      200,
      1,
      expect.stringMatching(/^log record 2: .*cannot be read: .* are kept/),
    ]);
    expect(written()).toHaveLength(2);
    const [kept] = keptLogs(given);
    const replayed = await new RejectedEventRevalidator(given.definitions).read('logs', kept!);
    expect(replayed).toMatchObject({
      event_id: kept!.event_id,
      data: JSON.stringify({ log_record: record }),
    });
  });

  it('that is no object is rejected with this reason, also after a resource with attributes', async () => {
    const resource = '{"attributes":[{"key":"a","value":{"intValue":1}}]}';
    const body = `{"resourceLogs":[{"resource":${resource},"scopeLogs":[{"logRecords":[1,nullx]}]}]}`;
    expect(partialOf(await postJson(body)).message).toMatch(
      /record 1: .*: the log record is not an object.*record 2: .*: the log record is not an object/,
    );
  });

  it.each(['{"x":tru}', '{"x":nullx}', '{"x":01}', '{"x":[1,]}', '{"x":{"y":+1}}', '{"flags":nullx}'])(
    'with the invalid JSON %s is rejected alone',
    async (record) => {
      expect(partialOf(await postJson(around(good, record, good))).rejected).toBe(1);
      expect(written()).toHaveLength(2);
    },
  );

  it.each([
    [
      'has a quote in a word',
      around('{"u":x","v":1}', '{"body":{"stringValue":"second"}}', '{"w":y","z":1}'),
    ],
    ['has a quote before a word', around('{"u":"a"b"}', good, '{"w":"a"b"}')],
    ['has two texts without a comma', around('{"u":"""}', good, '{"":"""}')],
    ['has a bracket of the wrong kind', around('{"u":[1}', good, '{"w":1]}')],
    ['is a word with a quote', around('x"', good, 'y"')],
    ['has an invalid resource', '{"resourceLogs":[{"resource":{"x":tru},"scopeLogs":[]}]}'],
    ['has an invalid unknown member', '{"x":tru}'],
    ['has a word that begins with null', '{"resourceLogs":nullx}'],
    ['has an unknown member that is not JSON', '{"resourceLogs":[{"x":{"y":[1 2]}}]}'],
  ])('is not read from a body that %s', async (_name, body) => {
    expect((await postJson(body)).statusCode).toBe(400);
    expect(given.records('logs')).toEqual([]);
  });

  describe('in a body above 4 MiB', () => {
    const large = `[${'0,'.repeat(2.2 * 1024 * 1024)}0]`;
    const withMember = (member: string) =>
      `{"x":${member},"resourceLogs":[{"scopeLogs":[{"logRecords":[${good}]}]}]}`;

    it('is read after a large unknown member', async () => {
      expect((await postJson(withMember(large))).statusCode).toBe(200);
      expect(written()).toHaveLength(1);
    });

    it('is not read after an unknown member without an end', async () => {
      expect((await postJson(withMember(`${large.slice(0, -1)}}`))).statusCode).toBe(400);
      expect(given.records('logs')).toEqual([]);
    });

    it('is rejected with an invalid resource', async () => {
      const resources = `[{"resource":{"x":tru},"scopeLogs":[{"logRecords":[${good}]}]}]`;
      const body = `{"x":${large},"resourceLogs":${resources}}`;
      expect(partialOf(await postJson(body)).rejected).toBe(1);
      expect(written()).toEqual([]);
    });
  });

  it('is never lost: a mutated body is refused, or each of its records is read or rejected', () => {
    const record = '{"body":{"stringValue":"a\\"b"},"x":[true,{"y":"null"}],"flags":1}';
    const body = `{"resourceLogs":[{"resource":{"x":null},"scopeLogs":[{"logRecords":[${record}, ${good},${record}]}],"y":-1.5e3}]}`;
    const begin = body.indexOf('[', body.indexOf('logRecords')) + 1;
    const end = body.lastIndexOf(']', body.indexOf('"y":-1'));
    const pieces = [
      '"',
      '"x"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      'x',
      'x"',
      '1',
      '0',
      ' ',
      'null',
      'tru',
      '\n',
      '',
    ];
    let seed = 7;
    const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
    const lost: string[] = [];
    for (let i = 0; i < 8_000; i++) {
      const at = random(body.length);
      const removed = random(3);
      const isOutside = at + removed < begin || at > end;
      const mutated = body.slice(0, at) + pieces[random(pieces.length)]! + body.slice(at + removed);
      const expected = recordsIn(mutated);
      const found = readIn(mutated);
      const isRight =
        expected === undefined
          ? found === undefined || (!isOutside && found.read + found.rejected === 3 && found.rejected > 0)
          : found === undefined || found.read + found.rejected === expected;
      if (!isRight) lost.push(`${mutated}: ${JSON.stringify(found)}`);
    }
    expect(lost).toEqual([]);
  });

  it('of a resource that cannot be read is rejected, and records of other resources are not', async () => {
    const group = (resource: string, record: string) =>
      `{"resource":${resource},"scopeLogs":[{"logRecords":[${record}]}]}`;
    const resources = [group('{"attributes":1}', '{},{}'), group('{"attributes":[]}', good)];
    expect(partialOf(await postJson(`{"resourceLogs":[${resources.join()}]}`)).rejected).toBe(2);
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });

  it('with a text that is not UTF-8 has U+FFFD, and other records are not changed', async () => {
    const body = Buffer.from(around('{"severityText":"a#b"}', good));
    body[body.indexOf('#')] = 0xff;
    expect((await postJson(body)).body).toBe('{}');
    expect(
      written()
        .map(({ metadata: text }) => text)
        .sort(),
    ).toEqual(['{"severity_text":"a�b"}', '{}']);
  });

  it('may follow a byte-order mark', async () => {
    expect((await postJson(`\ufeff ${around(good)}`)).body).toBe('{}');
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });
});

describe('a log record in protobuf', () => {
  it.each<[string, Buffer, object]>([
    ['a severity text', bytes('1a0361ff62'), { metadata: '{"severity_text":"a�b"}' }],
    ['an event name', bytes('620161'), { event_type: 'a' }],
    ['an event name that begins with a byte-order mark', bytes('6204efbbbf61'), { event_type: '\ufeffa' }],
    ['a value', field(6, text(1, 'a'), field(2, bytes('0a01ff'))), { data: '{"a":"�"}' }],
    ['a name of an attribute', field(6, bytes('0a01ff')), { data: '{"�":null}' }],
  ])('with %s that may not be UTF-8 is stored with U+FFFD', async (_name, record, stored) => {
    expect((await postProtobuf(aroundBytes(goodBytes, record))).body).toBe('');
    expect(written()).toHaveLength(2);
    expect(written()).toContainEqual(expect.objectContaining(stored));
  });

  it('merges a resource, a scope, a body and values that are given twice', async () => {
    const pair = (key: string) => field(1, text(1, key), field(2, integer(1)));
    const scopeAttribute = field(3, text(1, 'c'), field(2, integer(1)));
    const list = (value: number) => field(5, field(1, integer(value)));
    const split = field(6, text(1, 'x'), field(2, list(1)), field(2, list(2)), text(1, 'split'));
    const oneof = field(6, text(1, 'oneof'), field(2, list(1), integer(7), list(2)));
    const maps = field(5, field(6, pair('a')));
    const record = Buffer.concat([maps, field(5, field(6, pair('b'))), split, oneof]);
    const scopeLogs = field(2, field(1, text(1, 's')), field(2, record), field(1, scopeAttribute));
    await postProtobuf(field(1, field(1, pair('a')), scopeLogs, field(1, pair('b'))));
    expect(written()).toMatchObject([{ data: '{"split":[1,2],"oneof":[2],"body":{"a":1,"b":1}}' }]);
    expect(metadata()).toEqual({
      ...{ 'resource.a': 1, 'resource.b': 1, 'scope.name': 's', 'scope.attributes': '{"c":1}' },
    });
  });

  it.each<[string, Buffer]>([
    ['unknown fields', bytes('f80101f9010000000000000000fa0100fd0100000000')],
    ['a group in a group', bytes('7b8301080084017c')],
    ['known fields of another type', bytes('08011201611d0000000010001a00')],
  ])('may have %s', async (_name, record) => {
    expect((await postProtobuf(aroundBytes(record, goodBytes))).body).toBe('');
    expect(written()).toHaveLength(2);
  });

  it.each<[string, Buffer]>([
    ['ends early', bytes('1a05')],
    ['has a value that is longer than its message', field(6, bytes('0a7f'))],
    ['has a text that reaches into the next record', bytes('1a0361')],
    ['has an invalid tag', bytes('07')],
    ['has an endless varint', bytes(`10${'ff'.repeat(11)}`)],
    ['has a group without its end', bytes('7b0800')],
    ['has the end of a group without its beginning', bytes('7c')],
  ])('that %s is rejected alone, and kept as it was sent', async (_name, record) => {
    const answer = await postProtobuf(aroundBytes(goodBytes, record, goodBytes));
    const { rejected, message } = partialOf(answer);
    expect([answer.statusCode, rejected, message]).toEqual([
      200,
      1,
      expect.stringMatching(/^log record 2: .* not valid protobuf.* are kept/),
    ]);
    expect(written()).toHaveLength(2);
    const data = `"data":{"log_record":"${record.toString('base64')}"}`;
    expect(keptLogs(given).map(({ text: kept }) => kept)).toEqual([expect.stringContaining(data)]);
  });

  it('of a resource that cannot be read is rejected, and records of other resources are not', async () => {
    const group = (resource: Buffer, record: Buffer) =>
      field(1, field(1, resource), field(2, field(2, record)));
    const body = Buffer.concat([group(bytes('0a7f'), bytes('')), group(bytes(''), goodBytes)]);
    expect(partialOf(await postProtobuf(body)).rejected).toBe(1);
    expect(written()).toMatchObject([{ event_type: 'good' }]);
  });
});
