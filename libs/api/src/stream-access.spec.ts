import { describe, expect, it } from 'vitest';
import { allStreams, permitsStream, type StreamAccess } from './stream-access.js';

const limited: StreamAccess = { patterns: ['orders', 'eu.*'], reserved: false };

describe('access to streams', () => {
  it.each<[string, StreamAccess, string, boolean]>([
    ['a stream that is named', limited, 'orders', true],
    ['a longer name', limited, 'orders2', false],
    ['a name with the prefix', limited, 'eu.returns', true],
    ['the prefix without what follows', limited, 'eu.', true],
    ['a name that only looks like the prefix', limited, 'euXreturns', false],
    ['anything, without patterns', { patterns: undefined, reserved: false }, 'orders', true],
    ['nothing, with an empty list', { patterns: [], reserved: false }, 'orders', false],
    ['a reserved stream, to all', allStreams, 'tributary.audit', true],
    [
      'a reserved stream, without the right to it',
      { patterns: ['*'], reserved: false },
      'tributary.audit',
      false,
    ],
    [
      'a reserved stream outside the patterns',
      { patterns: ['orders'], reserved: true },
      'tributary.audit',
      false,
    ],
  ])('%s', (...row) => {
    const [, access, stream, permitted] = row;
    expect(permitsStream(access, stream)).toBe(permitted);
  });
});
