import { describe, expect, it } from 'vitest';
import { policyQueryId } from './policy-query-id.js';

describe('the query id that row policies read', () => {
  const of = (patterns: string[] | undefined, hidden: string[] = [], generations: string[] = []) =>
    policyQueryId({
      permitted: { access: { patterns, reserved: false }, hidden },
      generations,
      queryId: 'q',
    });

  it.each([
    { key: 'names streams', patterns: ['orders#1', 'carts#1'], id: 'orders#1,carts#1   q' },
    { key: 'names prefixes', patterns: ['orders*', 'carts#1'], id: 'carts#1 orders*  q' },
    { key: 'covers everything', patterns: undefined, id: ' *  q' },
    { key: 'names no stream', patterns: [], id: '   q' },
    { key: 'names a stream that is being deleted', patterns: ['orders#1', 'gone#1'], id: 'orders#1   q' },
  ])('of a key that $key', ({ patterns, id }) => {
    expect(of(patterns, ['gone#1'])).toBe(id);
  });

  it('contains the generations of projections', () => {
    expect(of([], [], ['b1', 'b2'])).toBe('  b1,b2 q');
  });

  it('is refused with more names than fit', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `stream-${i}#0k3v9x2m1q`);
    expect(() => of(many)).toThrow('10000 streams of the key, which are too many for SQL; issue a key with');
    expect(() => of([], [], many)).toThrow(
      '10000 projections of the key, which are too many for SQL; name fewer views',
    );
  });
});
