import { describe, expect, it } from 'vitest';
import { compileParsed } from './compile.js';
import { DecimalText } from './decimal.js';
import { EvaluationError, InvalidCelExpressionError } from './errors.js';
import { parseExpression } from './parse.js';
import type { CelValue } from './values.js';
import { eventValue, eventVariable } from './variable.fixture.js';

const data =
  '{"amount":5,"price":5.5,"same":5.0,"big":9007199254740993,"long":"9007199254740993","name":"Ärger 🎉",' +
  '"items":[{"qty":1},{"qty":3}],"tags":["a","b"],"none":null,"yes":true,"__proto__":1}';

const evaluate = (text: string) => compileParsed(parseExpression(text), eventVariable)(eventValue(data));

describe('compileParsed', () => {
  it.each<[string, unknown]>([
    // Arithmetic is exact on decimals.
    ['event.data.amount * 2 > 9', true],
    ['event.data.same * 2 == 10', true],
    ['event.data.price * 2 == 11', true],
    ['event.data.amount / 2', 2.5],
    ['event.data.amount + event.data.price', 10.5],
    ['7 % 4 + 0.5', 3.5],
    ['event.data.amount == 5.0 && event.data.same == 5', true],
    ['event.data.big == 9007199254740993', true],
    ['event.data.big == 9007199254740992', false],
    ['event.data.big > 9007199254740992', true],
    ['event.data.long == 9007199254740993', false],
    ['-event.data.amount', -5],
    // Values of different kinds are unequal and have no order.
    ['event.data.amount == "5"', false],
    ['event.data.amount != "5"', true],
    ['event.data.none == null && event.entity_id == null', true],
    // && and || ignore an error if the other side decides.
    ['event.data.missing > 1 || true', true],
    ['true || event.data.missing > 1', true],
    ['event.data.missing > 1 && false', false],
    ['!(event.data.missing > 1 && false)', true],
    // Expressions with members, lists, maps and macros.
    ['event.data["items"][1].qty', 3],
    ['has(event.data.amount) && !has(event.data.missing.deeper)', true],
    ['has(event.data.none) && !has(event.entity_id)', true],
    ['event.data.items.exists(i, i.qty > 2) && !event.data.items.all(i, i.qty > 2)', true],
    ['event.data.items.exists_one(i, i.qty > 2)', true],
    ['event.data.items.map(i, i.qty * event.data.amount)', [5, 15]],
    ['event.data.items.filter(i, i.qty > 1).size()', 1],
    ['"a" in event.data.tags && "amount" in event.data && !("constructor" in event.data)', true],
    ['event.data.tags == ["a", "b"]', true],
    ['{"a": 1, "b": "x", "c": 2.5}.b', 'x'],
    ['[1, "x", true][1]', 'x'],
    ['event.data.yes ? "y" : "n"', 'y'],
    // Expressions with functions on text and on times.
    ['event.data.name.size()', 7],
    ['event.stream + "/" + event.event_type', 'orders/order.placed'],
    ['event.event_type.startsWith("order") && event.event_type.endsWith("placed")', true],
    ['event.data.name.contains("🎉") && event.data.name.matches("^Ä.*🎉$")', true],
    ['"aB".lowerAscii() + "aB".upperAscii()', 'abAB'],
    ['event.timestamp < timestamp("2026-11-21T04:00:00.000124Z")', true],
    ['event.ingested_at - event.timestamp < duration("5s")', true],
    ['event.timestamp + duration("1h") > timestamp("2026-11-21T05:00:00Z")', true],
    ['event.timestamp.getFullYear() + event.timestamp.getMonth()', 2036],
    ['int("12") + int(2.9) + double("0.5")', 14.5],
    ['string(5) + string(true)', '5true'],
    ['event.metadata.source == "web"', true],
  ])('%s is %j', (text, expected) => {
    expect(evaluate(text)).toEqual(expected);
  });

  it.each([
    'event.data.missing',
    'event.data.missing == 1',
    'event.data.amount > "4"',
    'event.data.amount / 0 > 1',
    'event.data.amount % 0 == 0',
    'event.data.name * 2 == 1',
    'event.data.items[2].qty == 1',
    'event.data.constructor == 1',
    'event.data.amount && true',
    'event.data.amount.size() == 1',
    'event.data.name.matches("(" + "a")',
    'timestamp("yesterday") == event.timestamp',
  ])('%s has no value', (text) => {
    expect(() => evaluate(text)).toThrow(EvaluationError);
  });

  it.each(['other.data', 'event.data.exists()', 'f(1)', 'event.stream.f()', 'has(1)', 'items.map(1, 2)'])(
    'rejects %s at compilation',
    (text) => {
      expect(() => compileParsed(parseExpression(text), eventVariable)).toThrow(InvalidCelExpressionError);
    },
  );

  it('takes linear time for a pattern that would backtrack', () => {
    const run = compileParsed(parseExpression('event.stream.matches("^(a+)+$")'), eventVariable);
    expect(run(eventValue('{}', 'a'.repeat(5000) + 'b'))).toBe(false);
  });

  it('does not change digits in strings and fractions', () => {
    const data = '{"s":"x\\"12345678901234567890\\"","f":0.12345678901234567890,"e":1234567890123456789e2}';
    const run = compileParsed(parseExpression('[event.data.s, event.data.f, event.data.e]'), eventVariable);
    expect(run(eventValue(data))).toEqual([
      'x"12345678901234567890"',
      new DecimalText('0.1234567890123456789'),
      123456789012345678900n,
    ]);
  });

  it.each<[string, CelValue]>([
    ['1e400', new DecimalText('1e400')],
    ['-1E+400', new DecimalText('-1E+400')],
    ['"1e400,"', '1e400,'],
    ['1e-400', new DecimalText('1e-400')],
    ['"\\ud800"', '\ufffd'],
    ['"\\udc00\\ud83d\\ude00\\ud83d"', '\ufffd😀\ufffd'],
    ['"\\\\ud800"', '\\ud800'],
    [
      '[12345678901234567890123,12345678901234567890124]',
      [12345678901234567890123n, 12345678901234567890124n],
    ],
  ])('reads %s', (json, value) => {
    const run = compileParsed(parseExpression('event.data.a'), eventVariable);
    expect(run(eventValue(`{"a":${json}}`))).toEqual(value);
  });
});
