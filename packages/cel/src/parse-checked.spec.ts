import { describe, expect, it } from 'vitest';
import { parseCondition } from './parse-checked.js';
import { InvalidCelExpressionError } from './errors.js';
import { eventVariable } from './variable.fixture.js';

const refusal = (text: string): string => {
  try {
    parseCondition(text, eventVariable);
  } catch (error) {
    if (error instanceof InvalidCelExpressionError) return error.message;
    throw error;
  }
  throw new Error(`${text} was not refused`);
};

describe('a condition', () => {
  it.each([
    'true',
    'event.data.amount > 50',
    'event.data.amount > "50"',
    'event.data.paid',
    'event.version == 1 && event.schema_version != null',
    'event.data.a ? event.data.b : event.stream',
    'has(event.data.x) || event.entity_id in ["a", "b"]',
  ])('may be %s: only the evaluation shows whether it is a boolean', (text) => {
    expect(parseCondition(text, eventVariable)).toMatchObject({ kind: expect.any(String) as string });
  });

  it.each([
    ['event.stream', 'a string'],
    ['event.entity_id', 'null or a string'],
    ['event.data', 'an object'],
    ['event.version', 'null or a number'],
    ['event.data.amount * 2', 'a number'],
    ['event.data.name.size()', 'a number'],
    ['event.data.a > 1 ? "x" : "y"', 'a string'],
    ['"event.data.a > 1"', 'a string'],
  ])('cannot be %s: that is %s', (text, kind) => {
    expect(refusal(text)).toMatch(`This is ${kind}, but a condition is needed`);
  });

  it.each([
    ['data.amount > 50', 'There is no variable data; write event.data.amount'],
    ['amount > 50', 'There is no variable amount; write event.data.amount'],
    ['stream == "orders"', 'There is no variable stream; write event.stream'],
    ['customer.name == "x"', 'There is no variable customer; write event.data.customer.name'],
    ['events.data.amount > 50', 'There is no variable events; write event.data'],
    ['event.data.currency == EUR', "There is no variable EUR; write event.data.EUR, or 'EUR' for the text"],
    ['event.data.paid == TRUE', 'There is no variable TRUE; write true'],
    ['NOT (event.data.a > 1)', 'There is no NOT() with 1 argument(s); write ! instead of "not"'],
    ['length(event.data.a) > 1', 'There is no length() with 1 argument(s); use size()'],
    ['event.amount > 50', 'There is no member amount in event.'],
    ['event.timestamp > "2026-11-21T00:00:00Z"', 'Write a time as timestamp("…").'],
  ])('%s is rejected with a suggestion', (text, message) => {
    expect(refusal(text)).toContain(message);
  });
});
