import { describe, expect, it } from 'vitest';
import { checkKinds } from './check-kinds.js';
import { InvalidCelExpressionError } from './errors.js';
import { functions, methods } from './functions.js';
import { functionKinds, methodKinds } from './function-signatures.js';
import { anyKind, kinds, namesOfKinds } from './kinds.js';
import { parseExpression } from './parse.js';
import { eventVariable } from './variable.fixture.js';

const check = (text: string) => checkKinds(parseExpression(text), eventVariable);

describe('the kinds of an expression', () => {
  it.each([
    ['event.data.amount', anyKind],
    ['event.data', kinds.object],
    ['event["data"]', kinds.object],
    ['event.entity_id', kinds.string | kinds.null],
    ['event.timestamp - event.ingested_at', kinds.duration],
    ['event.timestamp + event.data.x', kinds.timestamp],
    [
      'event.data.x + event.data.y',
      kinds.number | kinds.string | kinds.list | kinds.timestamp | kinds.duration,
    ],
    ['event.data.x * 2', kinds.number],
    ['event.data.x > 2 && !event.data.y', kinds.boolean],
    ['event.data.x ? 1 : "a"', kinds.number | kinds.string],
    ['event.data.items.map(i, i.qty)', kinds.list],
    ['event.data.items.exists(event, event.anything == 1)', kinds.boolean],
    ['has(event.data.x)', kinds.boolean],
    ['"a" in event.data', kinds.boolean],
    ['{"a": event.data.x}', kinds.object],
    ['string(event.timestamp.getHours())', kinds.string],
    ['-5.5', kinds.number],
    ['null', kinds.null],
  ])('%s', (text, expected) => {
    expect(namesOfKinds(check(text))).toBe(namesOfKinds(expected));
  });

  it.each([
    ['event.amount > 1', 5, 'There is no member amount in event. Its members are stream, '],
    ['event["amount"]', 0, 'There is no member amount in event. Its members are stream, '],
    ['event.stream.x', 6, 'This is a string, but an object is needed.'],
    ['1 + event.stream', 0, '+ has no meaning for a number and a string.'],
    ['event.timestamp > 5', 0, '> has no meaning for a timestamp and a number.'],
    ['event.data.x || event.stream', 0, '|| has no meaning'],
    ['!event.offset', 1, 'a boolean is needed'],
    ['event.offset.startsWith("x")', 6, 'This is a number, but a string is needed.'],
    ['event.stream.getHours()', 6, 'a timestamp or a duration is needed'],
    ['event.data.items.exists(i, 5)', 27, 'a boolean is needed'],
    ['event.data.x ? event.stream * 2 : 1', 15, '* has no meaning'],
    ['{5: 1}', 1, 'a string is needed'],
  ])('%s is rejected, with a position', (text, at, message) => {
    let found: unknown;
    try {
      check(text);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(InvalidCelExpressionError);
    expect((found as InvalidCelExpressionError).message).toContain(message);
    expect((found as InvalidCelExpressionError).at).toBeGreaterThanOrEqual(at);
    expect((found as InvalidCelExpressionError).at).toBeLessThanOrEqual(at + 12);
  });

  it('are defined for every function and method', () => {
    expect(Object.keys(functionKinds).sort()).toEqual(Object.keys(functions).sort());
    expect(Object.keys(methodKinds).sort()).toEqual(Object.keys(methods).sort());
  });
});
