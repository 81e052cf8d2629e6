import { describe, expect, it } from 'vitest';
import { compileSource, type SourceFilterSpec } from './compile-source.js';
import type { DefinitionError } from '../definition/definition-error.js';
import { event } from './event.fixture.js';

const takes = (filter: SourceFilterSpec, data: string) => compileSource(filter)(event(data));

describe('a source', () => {
  it('takes all events without a filter', () => {
    expect(takes({}, '{}')).toBe(true);
  });

  it('takes events of its types for which where is true', () => {
    const where = 'event.data.amount > 0';
    expect(takes({ event_types: ['order.placed'], where }, '{"amount":1}')).toBe(true);
    expect(takes({ event_types: ['order.placed'], where }, '{"amount":0}')).toBe(false);
    expect(takes({ event_types: ['order.paid'], where }, '{"amount":1}')).toBe(false);
    expect(takes({ event_types: [] }, '{}')).toBe(false);
  });

  it('skips events for which where has no value, as queries do', () => {
    expect(takes({ where: 'event.data.amount > 0' }, '{}')).toBe(false);
    expect(takes({ where: 'event.data.amount > 0' }, '{"amount":"1"}')).toBe(false);
    expect(takes({ where: 'event.data.yes' }, '{"yes":1}')).toBe(false);
  });

  it('computes with decimals, as queries do', () => {
    expect(takes({ where: 'event.data.a * 3 == 0.3' }, '{"a":0.1}')).toBe(true);
    expect(takes({ where: 'event.data.a + 0 < 9007199254740993' }, '{"a":9007199254740992}')).toBe(true);
    const where = 'event.data.a == 0.12345678901234568';
    expect(takes({ where }, '{"a":0.12345678901234567890}')).toBe(false);
    expect(takes({ where: 'event.data.a > 1e307' }, '{"a":1e999}')).toBe(true);
  });

  it('does not compare two lists, or two objects, as queries do not', () => {
    expect(takes({ where: 'event.data.a == event.data.b' }, '{"a":[1],"b":[1]}')).toBe(false);
    expect(takes({ where: 'event.data.a != event.data.b' }, '{"a":{},"b":[1]}')).toBe(false);
    expect(takes({ where: 'event.data.a != event.data.b' }, '{"a":{},"b":1}')).toBe(true);
  });

  it.each([
    ['event.data.amount >', 'at character'],
    ['event.data', 'This is an object, but a boolean is needed. (at character 7)'],
    ['event.stream > 5', '> has no meaning for a string and a number.'],
    [
      'event.data.a == [1]',
      'A list is not compared in a where: compare its members, or use "in". (at character 17)',
    ],
    ['event.data.a in [{}]', 'An object is not compared in a where'],
    ['event.data.a == 0.12345678901234567890', 'The number has more digits'],
  ])('rejects %s with the position of the error', (where, detail) => {
    let found: unknown;
    try {
      compileSource({ where });
    } catch (error) {
      found = error;
    }
    expect((found as DefinitionError).errors).toMatchObject([
      { pointer: '/source/where', detail: expect.stringContaining(detail) as string },
    ]);
  });
});
