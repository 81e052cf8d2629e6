import { describe, expect, it } from 'vitest';
import { generationsHeader, policyHeaders, prefixesHeader, streamsHeader } from './policy-headers.js';

describe('the headers of row policies', () => {
  const of = (patterns: string[] | undefined, hidden: string[] = [], builds: string[] = []) =>
    policyHeaders({ permitted: { access: { patterns, reserved: false }, hidden }, builds });

  it.each([
    ['names streams', ['orders#1', 'carts#1'], [], 'orders#1,carts#1', ''],
    ['names prefixes', ['orders*', 'carts#1'], [], 'carts#1', 'orders*'],
    ['covers everything', undefined, [], '', '*'],
    ['names no stream', [], [], '', ''],
    ['names a stream that is being deleted', ['orders#1', 'carts#1'], ['carts#1'], 'orders#1', ''],
  ])('of a key that %s', (_, patterns, hidden, streams, prefixes) => {
    expect(of(patterns, hidden)).toEqual({
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
    expect(() => of(many)).toThrow('names 10000 streams, which are too many for SQL');
  });
});
