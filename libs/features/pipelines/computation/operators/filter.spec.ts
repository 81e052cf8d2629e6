import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipeline.fixture.js';
import type { OperatorJson } from './operator.js';

const filter = (condition: string): OperatorJson[] => [{ filter: condition }, { emit: { stream: 'out' } }];

describe('filter', () => {
  it('passes an event for which its condition is true', () => {
    expect(outcomesOf(filter('event.data.amount > 100.0'), '{"amount":100.01}')).toMatchObject([
      {
        kind: 'emit',
        at: '/operators/1/emit',
        stream: 'out',
        flow: { event: { data: '{"amount":100.01}' } },
      },
    ]);
  });

  it('drops an event for which its condition is false', () => {
    expect(outcomesOf(filter('event.data.amount > 100.0'), '{"amount":100}')).toMatchObject([
      { kind: 'drop', at: '/operators/0/filter', reason: 'The condition is false.' },
    ]);
  });

  it('compares numbers exactly', () => {
    const kinds = outcomesOf(filter('event.data.n == 9007199254740993'), '{"n":9007199254740992}').map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['drop']);
  });

  it.each([
    ['{}', 'There is no member amount in this object. (at character 12)'],
    ['{"amount":"12"}', 'A string and a number have no order. (at character 1)'],
  ])('fails %s, for which the condition has no value', (data, detail) => {
    expect(outcomesOf(filter('event.data.amount > 100.0'), data)).toMatchObject([
      { kind: 'fail', at: '/operators/0/filter', pointer: '/operators/0/filter', detail },
    ]);
  });

  it('fails an event for which the condition is not a boolean', () => {
    expect(outcomesOf(filter('event.data.x'), '{"x":1}')).toMatchObject([
      { kind: 'fail', detail: 'This is a number, but a boolean is needed.' },
    ]);
  });
});
