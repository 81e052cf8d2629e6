import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalNumber } from './decimal.js';
import { eventValue } from './variable.fixture.js';
import { parseExactJson } from './json.js';
import { toJson } from './to-json.js';
import { Duration, Timestamp, type CelValue } from './values.js';

const write = (value: CelValue) => toJson(value, { maxLength: 1000 });

describe('a value as JSON', () => {
  it('equals the result of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJson(value as CelValue, { maxLength: Infinity })).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps the digits of numbers, and every name', () => {
    const text = '{"a":[9007199254740993,0.12345678901234567890,1e999],"__proto__":{"":null}}';
    expect(write(parseExactJson(text))).toBe(
      '{"a":[9007199254740993,0.1234567890123456789,1e999],"__proto__":{"":null}}',
    );
  });

  it('has times as RFC 3339 and durations in seconds', () => {
    expect(write([new Timestamp(1_500_000), new Duration(-1_500_000)])).toBe(
      '["1970-01-01T00:00:01.500000Z","-1.5s"]',
    );
  });

  it('contains a whole event with its data', () => {
    const event = eventValue('{"a":1}');
    expect(JSON.parse(write(event)!)).toMatchObject({ data: { a: 1 }, stream: 'orders', offset: 10 });
  });

  it('is the same for equal values if names are sorted', () => {
    const sorted = (text: string) => toJson(parseExactJson(text), { maxLength: 100, sorted: true });
    expect(sorted('{"b":{"d":1,"c":2},"a":5.0}')).toBe(sorted('{"a":5,"b":{"c":2,"d":1}}'));
  });

  it.each([
    [['1.5e-61', '0.15e-60', `0.${'0'.repeat(60)}15`], '1.5e-61'],
    [['1.5e-7', `0.00000015${'0'.repeat(60)}`], '1.5e-7'],
    [['1e400', '10e399', `1${'0'.repeat(400)}`], '1e+400'],
    [['-12e-500', '-1.20e-499'], '-12e-500'],
    [[`1e${'9'.repeat(30)}`], `1e${'9'.repeat(30)}`],
    [['0e999', '-0.0', '0'], '0'],
  ])('is the same for all texts of an extreme number: %j', (texts, expected) => {
    const sorted = texts.map((text) => toJson(parseExactJson(text), { maxLength: 1000, sorted: true }));
    expect(new Set(sorted)).toEqual(new Set([expected]));
    expect(texts.map(canonicalNumber)).toEqual(sorted);
  });

  it('has the canonical text of each number if names are sorted', () => {
    const number = fc.tuple(fc.bigInt(-(10n ** 40n), 10n ** 40n), fc.integer({ min: -80, max: 80 }));
    fc.assert(
      fc.property(number, fc.nat(30), ([units, exponent], zeros) => {
        const text = `${units}e${exponent}`;
        const padded = `${units}.${'0'.repeat(zeros)}e${exponent}`;
        expect(toJson(parseExactJson(text), { maxLength: 1000, sorted: true })).toBe(canonicalNumber(padded));
      }),
    );
  });

  it('is undefined above the limit, without building the whole text', () => {
    expect(toJson('abc', { maxLength: 5 })).toBe('"abc"');
    expect(toJson('abc', { maxLength: 4 })).toBeUndefined();
    let doubling: CelValue = ['x'];
    for (let i = 0; i < 60; i++) doubling = [doubling, doubling];
    expect(toJson(doubling, { maxLength: 100_000 })).toBeUndefined();
  });
});
