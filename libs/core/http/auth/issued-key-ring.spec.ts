import { describe, expect, it } from 'vitest';
import {
  IssuedKeyRing,
  type IssuedKeyDefinition,
  joinKeyRings,
  secretsPerKey,
  type ApiKey,
} from './key-ring.js';

const sha256 = '0f'.repeat(32);
const definition: IssuedKeyDefinition = {
  key_id: 'abcdefghijkl',
  secrets: [{ sha256 }, { sha256: 'aa'.repeat(32), expires_at: '2026-11-21T04:00:00.000000Z' }],
  scopes: ['events:read', 'scope-of-tomorrow'],
  streams: ['web.*'],
  rate_limit: { requests_per_second: 10, events_per_second: 100 },
  expires_at: '2027-01-01T00:00:00.000000Z',
};

describe('issued keys', () => {
  it('are found with the values of their definition', () => {
    expect(ringOf(definition).find('abcdefghijkl')).toEqual({
      keyId: 'abcdefghijkl',
      issued: true,
      secrets: [
        { sha256: Buffer.alloc(32, 0x0f) },
        { sha256: Buffer.alloc(32, 0xaa), expiresAt: Date.UTC(2026, 10, 21, 4) },
      ],
      scopes: new Set(['events:read']),
      streams: ['web.*'],
      rateLimit: { requestsPerSecond: 10, eventsPerSecond: 100 },
      expiresAt: Date.UTC(2027, 0, 1),
    });
  });

  it('have no limits that their definition does not contain', () => {
    const key = ringOf({ key_id: 'abcdefghijkl', secrets: [{ sha256 }], scopes: [] }).find('abcdefghijkl');
    expect(Object.keys(key ?? {})).toEqual(['keyId', 'issued', 'secrets', 'scopes']);
  });

  it('have no valid secret when they are revoked', () => {
    const revoked = { ...definition, revoked_at: '2026-11-21T04:00:00.000000Z' };
    expect(ringOf(revoked).find('abcdefghijkl')?.secrets).toEqual([]);
  });

  it('have at most as many secrets as are compared, newest first', () => {
    const secrets = Array.from({ length: 10 }, (_, i) => ({ sha256: `0${i}`.repeat(32) }));
    const found = ringOf({ ...definition, secrets }).find('abcdefghijkl')?.secrets;
    expect(found?.map((secret) => secret.sha256[0])).toEqual([0, 1, 2, 3].slice(0, secretsPerKey));
  });

  it('are parsed once, and again when they have changed', () => {
    const keys = new Map([['abcdefghijkl', definition]]);
    const ring = new IssuedKeyRing(keys);
    const first = ring.find('abcdefghijkl');
    expect(ring.find('abcdefghijkl')).toBe(first);
    keys.set('abcdefghijkl', { ...definition, revoked_at: '2026-11-21T04:00:00Z' });
    expect(ring.find('abcdefghijkl')?.secrets).toEqual([]);
    keys.delete('abcdefghijkl');
    expect(ring.find('abcdefghijkl')).toBeUndefined();
  });
});

describe('joined key rings', () => {
  it('return the key of the first ring that has it, and always ask all rings', () => {
    const asked: string[] = [];
    const ring = (name: string, ...ids: string[]) => ({
      find: (keyId: string): ApiKey | undefined => {
        asked.push(name);
        return ids.includes(keyId)
          ? { keyId: `${name}.${keyId}`, secrets: [], scopes: new Set() }
          : undefined;
      },
    });
    const joined = joinKeyRings(ring('one', 'a'), ring('two', 'a', 'b'));
    expect(['a', 'b', 'c'].map((id) => joined.find(id)?.keyId)).toEqual(['one.a', 'two.b', undefined]);
    expect(asked).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
  });
});

function ringOf(one: IssuedKeyDefinition): IssuedKeyRing {
  return new IssuedKeyRing({ get: (keyId) => (keyId === one.key_id ? one : undefined) });
}
