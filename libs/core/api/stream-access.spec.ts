import { describe, expect, it } from 'vitest';
import { allStreams, permitsStream, type StreamAccess } from './stream-access.js';

const limited: StreamAccess = { patterns: ['orders', 'eu.*'], reserved: false };

describe('the authorization scope for streams', () => {
  it.each<[string, StreamAccess, string, boolean]>([
    ['includes a listed stream', limited, 'orders', true],
    ['excludes a longer name', limited, 'orders2', false],
    ['includes a name with the prefix', limited, 'eu.returns', true],
    ['includes the prefix itself', limited, 'eu.', true],
    ['excludes a name that is only similar to the prefix', limited, 'euXreturns', false],
    ['includes any stream, without patterns', { patterns: undefined, reserved: false }, 'orders', true],
    ['includes no stream, with an empty list', { patterns: [], reserved: false }, 'orders', false],
    ['includes a reserved stream, for all streams', allStreams, 'tributary.audit', true],
    [
      'excludes a reserved stream, without the permission for it',
      { patterns: ['*'], reserved: false },
      'tributary.audit',
      false,
    ],
    [
      'excludes a reserved stream outside the patterns',
      { patterns: ['orders'], reserved: true },
      'tributary.audit',
      false,
    ],
  ])('%s', (...row) => {
    const [, access, stream, permitted] = row;
    expect(permitsStream(access, stream)).toBe(permitted);
  });
});
