import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord, type EventRecord } from './record.js';
import { UnreadableRecordError } from './event-record-parser.js';
import { earliestTime, formatTime, latestTime, parseFormattedTime, parseTime } from '#json';

/** Texts that resemble parts of an event record's JSON, such as `,"data":`. */
const nasty = fc.constantFrom(
  ',"data":',
  ',"metadata":',
  '","data":{',
  '}',
  '{',
  '"',
  '\\',
  '\\"',
  '\n',
  '\u0000',
  '\u2028',
  'ä€𝄞',
  '__proto__',
);
const loneSurrogate = '\ud800';
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'grapheme', maxLength: 8 })), { maxLength: 6 })
  .map((p) => p.join(''));
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const micros = fc.integer({ min: earliestTime, max: latestTime - 1 });

const events: fc.Arbitrary<EventRecord> = fc.record({
  event_id: fc.uuid(),
  event_type: text,
  entity_id: fc.option(text.filter((value) => value !== '')),
  timestamp: micros,
  ingested_at: micros,
  schema_version: fc.option(fc.integer({ min: 1, max: 999_999_999 })),
  metadata: fc.dictionary(text, scalar).map((value) => JSON.stringify(value)),
  data: fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value, null, 1)),
});

const plain: EventRecord = {
  event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  event_type: 'order.placed',
  entity_id: 'order-17',
  timestamp: 1_795_000_000_000_123,
  ingested_at: 1_795_000_000_004_410,
  schema_version: 2,
  metadata: '{}',
  data: '{"n":9007199254740993,"d":0.10}',
};
const encoded = encodeRecord(plain);

describe('decodeRecord', () => {
  it('returns every event that encodeRecord wrote', () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(decodeRecord(encodeRecord(event))).toEqual(event);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '{"n":9007199254740993,"d":0.10,"e":1E+2}',
    '{ "b" : 1,\n "a" : 2 }',
    '{"a":",\\"data\\":{","a":1}',
    '{"text":"\\u00e4\\/ä"}',
  ])('keeps the exact text of data and metadata: %s', (json) => {
    const event = decodeRecord(encodeRecord({ ...plain, data: json, metadata: json }));
    expect([event.data, event.metadata]).toEqual([json, json]);
  });

  it.each([
    ['is empty', ''],
    ['is not JSON', 'hello'],
    ['is cut off', encoded.slice(0, -1)],
    ['is cut off inside data', encoded.slice(0, -10)],
    ['continues after its end', `${encoded}}`],
    ['is another JSON value', '[]'],
    ['has no event_id', encoded.replace('"event_id"', '"id"')],
    ['has an event_id that is not a UUID', encoded.replace('019aa4e2', '019aa4e!')],
    ['has a number for event_type', encoded.replace('"order.placed"', '17')],
    ['has a number for entity_id', encoded.replace('"order-17"', '17')],
    ['has an empty entity_id', encoded.replace('order-17', '')],
    ['has a lone surrogate in entity_id', encodeRecord({ ...plain, entity_id: loneSurrogate })],
    ['has a lone surrogate in event_type', encodeRecord({ ...plain, event_type: loneSurrogate })],
    ['has a broken escape', encoded.replace('order-17', '\\x')],
    ['has a bare line break in a string', encoded.replace('order-17', 'order\n17')],
    ['has an impossible date', encoded.replace('2026-11-18', '2026-02-30')],
    ['has a time out of range', encoded.replace('2026-11-18', '0026-11-18')],
    ['has no schema_version', encoded.replace('"schema_version":2,', '')],
    ['has a list for metadata', encoded.replace('"metadata":{}', '"metadata":[]')],
    ['has nested metadata', encoded.replace('"metadata":{}', '"metadata":{"a":{}}')],
    ['has broken metadata', encoded.replace('"metadata":{}', '"metadata":{a}')],
    ['has broken data', encoded.replace('0.10', '.10')],
    ['has a list for data', encodeRecord({ ...plain, data: '[]' })],
    ['has a member after data', encoded.replace(/}$/, ',"more":1}')],
    ['has data twice', encoded.replace(/}$/, ',"data":{}}')],
  ])('rejects a record that %s', (_what, value) => {
    expect(() => decodeRecord(value)).toThrow(UnreadableRecordError);
  });

  it('rejects a string of a million characters without exhausting the stack', () => {
    expect(() => decodeRecord(encoded.replace('order.placed', 'x'.repeat(1_000_000)).slice(0, -1))).toThrow(
      UnreadableRecordError,
    );
  });
});

describe('parseFormattedTime', () => {
  it('reads every time that formatTime writes', () => {
    fc.assert(
      fc.property(micros, (time) => {
        expect(parseFormattedTime(formatTime(time))).toBe(time);
      }),
    );
  });

  it('agrees with parseTime on every text of that form, valid or not', () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
    fc.assert(
      fc.property(
        digits(4),
        fc.tuple(digits(2), digits(2), digits(2), digits(2), digits(2)),
        (year, rest) => {
          const [month, day, hour, minute, second] = rest;
          const shape = `${year}-${month}-${day}T${hour}:${minute}:${second}.000001Z`;
          expect(parseFormattedTime(shape)).toBe(parseTime(shape));
        },
      ),
      { numRuns: 2000 },
    );
    for (const shape of [
      '2024-02-29T00:00:00.000000Z',
      '2023-02-29T00:00:00.000000Z',
      '1999-12-31T23:59:59.999999Z',
    ])
      expect(parseFormattedTime(shape)).toBe(parseTime(shape));
  });

  it('rejects a year below 100 as out of range', () => {
    expect(parseTime('0050-01-01T00:00:00Z')).toBeUndefined();
  });
});
