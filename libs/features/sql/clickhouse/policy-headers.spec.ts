import { describe, expect, it } from 'vitest';
import { generationsHeader, policyHeaders, prefixesHeader, streamsHeader } from './policy-headers.js';

describe('the headers of row policies', () => {
  const of = (patterns: string[] | undefined, hidden: string[] = [], generations: string[] = []) =>
    policyHeaders({ permitted: { access: { patterns, reserved: false }, hidden }, generations });

  it.each([
    { key: 'names streams', patterns: ['orders#1', 'carts#1'], streams: 'orders#1,carts#1', prefixes: '' },
    { key: 'names prefixes', patterns: ['orders*', 'carts#1'], streams: 'carts#1', prefixes: 'orders*' },
    { key: 'covers everything', patterns: undefined, streams: '', prefixes: '*' },
    { key: 'names no stream', patterns: [], streams: '', prefixes: '' },
    {
      key: 'names a stream that is being deleted',
      patterns: ['orders#1', 'gone#1'],
      streams: 'orders#1',
      prefixes: '',
    },
  ])('of a key that $key', ({ patterns, streams, prefixes }) => {
    expect(of(patterns, ['gone#1'])).toEqual({
      [streamsHeader]: streams,
      [prefixesHeader]: prefixes,
      [generationsHeader]: '',
    });
  });

  it('contain the generations of projections', () => {
    expect(of([], [], ['b1', 'b2'])[generationsHeader]).toBe('b1,b2');
  });

  it('refuse more names than ClickHouse accepts in a header', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `stream-${i}#0k3v9x2m1q`);
    expect(() => of(many)).toThrow('10000 streams of the key, which are too many for SQL; issue a key with');
    expect(() => of([], [], many)).toThrow(
      '10000 projections of the key, which are too many for SQL; name fewer views',
    );
  });
});
