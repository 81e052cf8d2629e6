import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipeline.fixture.js';
import type { OperatorJson } from './operator.js';

const branches = (...more: { otherwise: true; operators: OperatorJson[] }[]): OperatorJson[] => [
  { emit: { stream: 'all' } },
  {
    branch: [
      { when: 'event.data.n > 100', operators: [{ emit: { stream: 'huge' } }] },
      {
        when: 'event.data.n > 10',
        operators: [{ emit: { stream: 'big', event_type: 'big' } }, { filter: 'false' }],
      },
      ...more,
    ],
  },
];

const summary = (operators: OperatorJson[], data: string) =>
  outcomesOf(operators, data).map(({ kind, at }) => `${kind} ${at}`);

describe('branch', () => {
  it('passes an event to the first branch whose condition is true', () => {
    expect(summary(branches(), '{"n":1000}')).toEqual([
      'emit /operators/0/emit',
      'emit /operators/1/branch/0/operators/0/emit',
    ]);
    expect(summary(branches(), '{"n":50}')).toEqual([
      'emit /operators/0/emit',
      'emit /operators/1/branch/1/operators/0/emit',
      'drop /operators/1/branch/1/operators/1/filter',
    ]);
  });

  it('passes other events to the otherwise branch, and drops them if there is none', () => {
    const otherwise = { otherwise: true, operators: [{ emit: { stream: 'small' } }] } as const;
    expect(summary(branches({ ...otherwise, operators: [...otherwise.operators] }), '{"n":1}')[1]).toBe(
      'emit /operators/1/branch/2/operators/0/emit',
    );
    expect(summary(branches(), '{"n":1}')[1]).toBe('drop /operators/1/branch');
  });

  it('fails an event for which a condition has no value', () => {
    expect(outcomesOf(branches(), '{}')[1]).toMatchObject({
      kind: 'fail',
      at: '/operators/1/branch',
      pointer: '/operators/1/branch/0/when',
    });
  });

  it('passes an event on unchanged after an emit with another event type', () => {
    const [, , drop] = outcomesOf(branches(), '{"n":50}');
    const [, emitted] = outcomesOf(branches(), '{"n":50}');
    expect([emitted?.flow.event.event_type, drop?.flow.event.event_type]).toEqual(['big', 'order.placed']);
  });
});
