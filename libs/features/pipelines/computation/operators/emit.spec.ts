import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../pipeline.fixture.js';

describe('emit', () => {
  it('writes the event unchanged or with another type, and passes it on', () => {
    const outcomes = outcomesOf(
      [{ emit: { stream: 'copies', event_type: 'order.copied' } }, { emit: { stream: 'all' } }],
      '{"n":1.0}',
    );
    expect(outcomes).toMatchObject([
      {
        kind: 'emit',
        at: '/operators/0/emit',
        stream: 'copies',
        flow: { event: { event_type: 'order.copied' } },
      },
      {
        kind: 'emit',
        at: '/operators/1/emit',
        stream: 'all',
        flow: { event: { event_type: 'order.placed' } },
      },
    ]);
    expect(outcomes.map(({ flow }) => flow.event.data)).toEqual(['{"n":1.0}', '{"n":1.0}']);
  });

  it.each<[object, RegExp]>([
    [{ stream: '_out' }, /^\/operators\/0\/emit\/stream: /],
    [{}, /stream: is required/],
    [{ stream: 'out', event_type: 'a\nb' }, /event_type: /],
    [{ stream: 'out', key: 'x' }, /key: is not a known field; known fields are stream, event_type/],
  ])('is invalid with %j', (emit, error) => {
    expect(() => outcomesOf([{ emit }], '{}')).toThrow(error);
  });
});
