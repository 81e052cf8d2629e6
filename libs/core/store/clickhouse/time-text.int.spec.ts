import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { microsOfTimeText } from '#cel';
import { parseTime } from '#json';
import { formats } from '#json-schema';
import { memberExpression } from './event-columns.js';
import { openTestStore, type TestStore } from './test-store.js';
import fc from 'fast-check';

const dates = ['2026-01-01', '1899-12-31', '1900-01-01', '2199-12-31', '2200-01-01', '2299-12-31'];
const texts = [
  ...dates.flatMap((date) =>
    ['Z', '+00:00', '-00:00', '+23:59', '-23:59', '+24:00', '-05:60'].map(
      (zone) => `${date}T00:30:00${zone}`,
    ),
  ),
  ...['2300-01-01T00:30:00+01:00', '2300-02-29T00:00:00+23:59', '2299-12-31T23:30:00-01:00'],
  ...['2026-01-01t00:00:00z', '2026-01-01t00:00:00Z', '2026-01-01 00:00:00Z', '2026-01-01_00:00:00Z'],
  ...['0000-01-01T15:04:05Z', '0001-01-01T00:00:00Z', '1066-10-14T00:00:00Z', '9999-12-31T23:59:59Z'],
  ...['2026-01-01T23:59:60Z', '2016-12-31T23:59:60Z', '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z'],
  ...['2026-02-29T00:00:00Z', '2024-02-29T00:00:00Z', '2026-02-30T00:00:00Z', '1900-02-29T00:00:00Z'],
  ...['2000-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-01T00:00:00Z', '2026-13-01T00:00:00Z'],
  ...['2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '1899-02-29T23:30:00-01:00', '2200-02-29T00:00:00Z'],
  ...['2026-01-01T00:00:00.Z', '2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.123456Z'],
  ...['2026-01-01T00:00:00.1234567Z', '2026-01-01T00:00:00.999999999Z', '2026-01-01T00:00:00.1234567890Z'],
  ...['1969-12-31T23:59:59.999999999Z', '2026-01-01T00:00:00,5Z', '2026-01-01T00:00:00.5', '2026-01-01'],
  ...['2026-01-01T00:00:00', '2026-01-01T00:00Z', '20260101T000000Z', '2026-01-01T00:00:00+0100'],
  ...['2026-01-01T00:00:00+01', '2026-01-01T00:00:00 +01:00', '2026-01-01T00:00:00UTC', '1767225600', '5'],
  ...['٢٠٢٦-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z\n', ' 2026-01-01T00:00:00Z'],
  ...['2026-01-01T00:00:00Z\0', '2026-01-01T00:00:00−01:00', '+2026-01-01T00:00:00Z', '26-01-01T00:00:00Z'],
  ...['2026-1-1T00:00:00Z', 'Thu, 01 Jan 2026 00:00:00 GMT', '01/02/2026', 'now', 'today', '', 'Z', '\ud83d'],
];
const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((all) => all.join(''));
const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '', 'X'),
  fc.tuple(fc.constantFrom('+', '-'), digits(2), digits(2)).map(([sign, h, m]) => `${sign}${h}:${m}`),
);
const twoDigits = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'));
const nearlyTimes = fc
  .record({
    year: fc.integer({ min: 1890, max: 2310 }),
    rest: fc.tuple(twoDigits(13), twoDigits(32), twoDigits(25), twoDigits(61), twoDigits(61)),
    separator: fc.constantFrom('T', 't', 'T', ' '),
    fraction: fc.oneof(
      fc.constant(''),
      fc
        .integer({ min: 0, max: 10 })
        .chain(digits)
        .map((all) => `.${all}`),
    ),
    zone,
  })
  .map(({ year, rest: [month, day, hour, minute, second], separator, fraction, zone: offset }) =>
    [`${year}-${month}-${day}`, `${hour}:${minute}:${second}${fraction}${offset}`].join(separator),
  );

describe('the time of a text in ClickHouse', () => {
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
  });
  afterAll(() => test.close());

  async function inClickHouse(all: readonly string[]): Promise<[string | null, number | null][]> {
    const column = memberExpression({ member: 'at', type: 'time' });
    const answer = await test.engine.query({
      query: `WITH data AS readable_data SELECT toString(${column}), toFloat64(${microsOfTimeText("JSONExtractString(data, 'at')", 'parseTime')})
        FROM (SELECT arrayJoin({all:Array(String)}) AS data)`,
      query_params: { all: all.map((at) => JSON.stringify({ at })) },
      format: 'JSONCompactEachRow',
    });
    return answer.json();
  }
  /** A leap second is valid for the schema, but DateTime64 does not have it. */
  function columnOf(at: string): string | null {
    const parts = /^(.{17}[0-5]\d)(?:\.(\d+))?(.+)$/.exec(at.toUpperCase());
    if (!formats.get('date-time')!(at) || !parts) return null;
    const [, seconds, fraction = '', offset] = parts;
    const instant = Date.parse(`${seconds}${offset}`);
    if (instant < Date.UTC(1900) || instant >= Date.UTC(2300)) return null;
    const shown = new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
    return `${shown}.${fraction.slice(0, 6).padEnd(6, '0')}`;
  }
  const expected = (all: readonly string[]) => all.map((at) => [at, columnOf(at), parseTime(at) ?? null]);

  it('is that of the schema format in a typed column, and that of parseTime in a condition', async () => {
    const found = await inClickHouse(texts);
    expect(found.map((values, i) => [texts[i], ...values])).toEqual(expected(texts));
  });

  it('is the same for any text that is nearly a time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nearlyTimes, { minLength: 500, maxLength: 500 }), async (all) => {
        const found = await inClickHouse(all);
        expect(found.map((values, i) => [all[i], ...values])).toEqual(expected(all));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });

  it.each(['5', 'true', 'null', '{"at":"2026-01-01T00:00:00Z"}', '["2026-01-01T00:00:00Z"]'])(
    'is NULL for the value %s',
    async (value) => {
      const answer = await test.engine.query({
        query: `WITH {data:String} AS readable_data SELECT ${memberExpression({ member: 'at', type: 'time' })}`,
        query_params: { data: `{"at":${value}}` },
        format: 'JSONCompactEachRow',
      });
      expect(await answer.json()).toEqual([[null]]);
    },
  );
});
