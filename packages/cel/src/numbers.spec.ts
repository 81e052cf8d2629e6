import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileParsed } from './compile.js';
import { numberTexts } from './decimal.fixture.js';
import { readDecimal, scaledDecimal, type CelNumber, type ScaledDecimal } from './decimal.js';
import { EvaluationError } from './errors.js';
import { parseExactJson } from './json.js';
import { isComputable } from './number-range.js';
import { parseExpression } from './parse.js';
import { toJson } from './to-json.js';
import { eventVariable } from './variable.fixture.js';

const run = (text: string, data = '{}') =>
  compileParsed(parseExpression(text), eventVariable)({ data: parseExactJson(data) });
const json = (text: string, data = '{}') => toJson(run(text, data), { maxLength: 10_000 });

const valueOf = (text: string, data: string): ScaledDecimal | undefined => {
  try {
    return scaledDecimal(run(text, data) as CelNumber);
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
    throw error;
  }
};
/**
 * Returns the value cut off after 36 places, in canonical form; undefined if it has more than 39 digits before its
 * point.
 */
const cut = ({ units, scale }: ScaledDecimal): ScaledDecimal | undefined => {
  const excess = Math.max(scale - 36, 0);
  const exact = readDecimal(`${units / 10n ** BigInt(excess)}e-${scale - excess}`)!;
  return isComputable(exact) ? exact : undefined;
};

describe('arithmetic', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['0.1 * 3', '0.3'],
    ['19.99 * 3', '59.97'],
    ['0.3 - 0.1', '0.2'],
    ['0.3 / 0.1', '3'],
    ['1 / 3', '0.3333333333333333'],
    ['10 / 4', '2.5'],
    ['5.5 % 2', '1.5'],
    ['-5.5 % 2', '-1.5'],
    ['9007199254740993 + 1', '9007199254740994'],
    ['9007199254740993 / 3', '3002399751580331'],
    ['9007199254740993 * 10', '90071992547409930'],
    ['-9007199254740993', '-9007199254740993'],
    ['int(9007199254740993)', '9007199254740993'],
    ['int("9007199254740993") + 1', '9007199254740994'],
    ['int(-2.9)', '-2'],
    ['int(event.data.d)', '-1'],
    ['double("0.12345678901234567890") + 1', '1.1234567890123456789'],
    ['-event.data.d', '1.00000000000000000001'],
    ['string(event.data.d)', '"-1.00000000000000000001"'],
    ['event.data.d * event.data.d', '1.00000000000000000002'],
    ['1e-20 * 1e-20', '0'],
    ['1.5e-20 * 3.5e-17', '0'],
    ['1.5e-20 * -3.5e-16', '-5e-36'],
    ['1e-18 / 3', '3.3333333333333334e-19'],
    ['string(1e21) + string(1e-7)', '"10000000000000000000000.0000001"'],
    ['event.data.far > 1e307', 'true'],
    ['event.data.far == event.data.far', 'true'],
    ['1e-40 == 1.5e-40', 'false'],
    ['double("5.") + double("+.5")', '5.5'],
    ['event.data.d < -1.0', 'true'],
    ['event.data.d == event.data.e', 'true'],
    ['event.data.d in [1, "x", event.data.e]', 'true'],
    ['[event.data.d] == [event.data.e]', 'true'],
    ['event.data.d == "x"', 'false'],
    ['"a" + "b"', '"ab"'],
    ['event.data.f == event.data.g', 'true'],
    ['event.data.far', '1e999'],
  ])('%s is %s', (text, expected) => {
    const data =
      '{"d":-1.00000000000000000001,"e":-1.000000000000000000010,"f":1e23,"g":100000000000000000000000,"far":1e999}';
    expect(json(text, data)).toBe(expected);
  });

  it.each([
    '1 / 0',
    '1 % 0.0',
    'event.data.far + 1',
    'string(event.data.far)',
    'int(1e39)',
    'double("1e39")',
    'double("1e-37")',
    '1e38 * 10',
    '9e38 + 1e38',
    '1e-37 + 1',
    '1e30 / 1e-30',
    '1 / 1e21',
    '-event.data.far',
  ])('%s has no value', (text) => {
    expect(() => run(text, '{"far":1e999}')).toThrow(EvaluationError);
  });

  it('adds, subtracts, multiplies and takes remainders exactly to 36 places, or has no value', () => {
    fc.assert(
      fc.property(numberTexts, numberTexts, (a, b) => {
        const value = (operator: string) =>
          valueOf(`event.data.a ${operator} event.data.b`, `{"a":${a},"b":${b}}`);
        const [x, y] = [readDecimal(a)!, readDecimal(b)!];
        const scale = Math.max(x.scale, y.scale);
        const [p, q] = [x.units * 10n ** BigInt(scale - x.scale), y.units * 10n ** BigInt(scale - y.scale)];
        const inRange = isComputable(x) && isComputable(y);
        const expected = (exact: ScaledDecimal) => (inRange ? cut(exact) : undefined);
        expect(value('+')).toEqual(expected({ units: p + q, scale }));
        expect(value('-')).toEqual(expected({ units: p - q, scale }));
        expect(value('*')).toEqual(expected({ units: p * q, scale: scale * 2 }));
        if (q !== 0n) expect(value('%')).toEqual(expected({ units: p % q, scale }));
      }),
      { numRuns: 300 },
    );
  });

  it('divides to the nearest double if the quotient has more than 36 decimal places', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 1, max: 2 ** 31 }), (a, b) => {
        const value = run('event.data.a / event.data.b', `{"a":${a},"b":${b}}`);
        expect(
          Number(
            typeof value === 'object' ? json('event.data.a / event.data.b', `{"a":${a},"b":${b}}`) : value,
          ),
        ).toBe(a / b + 0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('parseExactJson', () => {
  it('keeps the exact value of every number', () => {
    fc.assert(
      fc.property(fc.array(numberTexts, { maxLength: 5 }), fc.constantFrom('', ' ', '\n'), (texts, space) => {
        const read = parseExactJson(`{"a":${space}[${texts.join(`${space},${space}`)}]}`) as {
          a: CelNumber[];
        };
        expect(read.a.map((value) => scaledDecimal(value))).toEqual(texts.map((text) => readDecimal(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('does not change digits in strings', () => {
    const text = '{"a":"x, 12345678901234567890.5 ,1e400","b":12345678901234567890.5,"__proto__":1}';
    expect(toJson(parseExactJson(text), { maxLength: 1000 })).toBe(text);
  });

  it('reads a number with many digits under a name that every object inherits', () => {
    const text = '{"__proto__":12345678901234567890.5,"constructor":{"__proto__":[0.12345678901234567891]}}';
    expect(toJson(parseExactJson(text), { maxLength: 1000 })).toBe(text);
  });
});
