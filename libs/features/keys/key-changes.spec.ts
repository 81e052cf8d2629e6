import { describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '#json';
import type { ApiKeyDefinition } from '#registry';
import { keyAnswer } from './key-answers.js';
import { endOfKey, issuedKey, keyStatus, revokedKey, rotatedKey } from './key-changes.js';

const now = Date.UTC(2026, 10, 21) * 1000;
const hour = 3_600_000_000;
const at = (hours: number) => formatTime(now + hours * hour);
const made = { keyId: 'abcdefghijkl', sha256: 'aa' };
const key = issuedKey({ name: 'shop', scopes: ['events:write'] }, made, now);
/** Rotates the key with an overlap in hours, optionally some hours later. */
const rotated = (from: ApiKeyDefinition, ...[sha256, hours, later = 0]: [string, number, number?]) =>
  rotatedKey(from, { sha256, overlapMs: hours * 3_600_000 }, now + later * hour);

describe('an issued key', () => {
  it('has one secret and the requested members', () => {
    expect(key).toEqual({
      key_id: 'abcdefghijkl',
      name: 'shop',
      secrets: [{ sha256: 'aa' }],
      scopes: ['events:write'],
      created_at: at(0),
    });
  });

  it('has its expiry in UTC, and only the given limits', () => {
    const input = {
      name: 'shop',
      scopes: ['events:write' as const],
      streams: ['web.*'],
      expires_at: parseTime('2026-11-21T02:00:00+01:00') ?? NaN,
      rate_limit: { events_per_second: 10, requests_per_second: null },
    };
    expect(issuedKey(input, made, now)).toMatchObject({
      streams: ['web.*'],
      expires_at: at(1),
      rate_limit: { events_per_second: 10 },
    });
  });
});

describe('a rotation', () => {
  it('without an overlap ends the old secret at once', () => {
    expect(rotated(key, 'bb', 0)).toEqual({ ...key, secrets: [{ sha256: 'bb' }], rotated_at: at(0) });
  });

  it('keeps the old secret valid until the overlap ends', () => {
    expect(rotated(key, 'bb', 24).secrets).toEqual([{ sha256: 'bb' }, { sha256: 'aa', expires_at: at(24) }]);
  });

  it('does not extend an earlier end of a secret, and ends it earlier with a shorter overlap', () => {
    const once = rotated(key, 'bb', 24);
    expect(rotated(once, 'cc', 48, 1).secrets).toEqual([
      { sha256: 'cc' },
      { sha256: 'bb', expires_at: at(49) },
      { sha256: 'aa', expires_at: at(24) },
    ]);
    expect(rotated(once, 'cc', 1, 1).secrets).toEqual([
      { sha256: 'cc' },
      { sha256: 'bb', expires_at: at(2) },
      { sha256: 'aa', expires_at: at(2) },
    ]);
    expect(rotated(once, 'cc', 0, 1).secrets).toEqual([{ sha256: 'cc' }]);
  });

  it('removes secrets that have ended', () => {
    const once = rotated(key, 'bb', 24);
    expect(rotated(once, 'cc', 1, 24).secrets.map(({ sha256 }) => sha256)).toEqual(['cc', 'bb']);
  });

  it('is refused when more than four secrets would be valid, unless it ends them', () => {
    const four = ['bb', 'cc', 'dd'].reduce((current, sha256) => rotated(current, sha256, 24), key);
    expect(four.secrets).toHaveLength(4);
    expect(() => rotated(four, 'ee', 24)).toThrow(
      expect.objectContaining({ code: 'definition_limit_reached' }),
    );
    expect(rotated(four, 'ee', 0).secrets).toEqual([{ sha256: 'ee' }]);
  });

  it('is refused for a key that is revoked or expired', () => {
    const refusal = expect.objectContaining({ code: 'key_inactive' }) as Error;
    expect(() => rotated(revokedKey(key, now), 'bb', 0)).toThrow(refusal);
    expect(() => rotated({ ...key, expires_at: at(0) }, 'bb', 0)).toThrow(refusal);
  });
});

describe('a revocation', () => {
  it('keeps its first time when it is repeated', () => {
    const revoked = revokedKey(key, now);
    expect(revoked).toEqual({ ...key, revoked_at: at(0) });
    expect(revokedKey(revoked, now + hour)).toBe(revoked);
  });
});

describe('the status of a key', () => {
  const expiring = { ...key, expires_at: at(1) };

  it('is active until the key expires or is revoked', () => {
    expect(keyStatus(key, now)).toBe('active');
    expect(keyStatus(expiring, now + hour - 1)).toBe('active');
    expect(keyStatus(expiring, now + hour)).toBe('expired');
    expect(keyStatus(revokedKey(expiring, now), now + hour)).toBe('revoked');
  });

  it('includes since when the key has been inactive', () => {
    expect(endOfKey(expiring, now)).toBeUndefined();
    expect(endOfKey(expiring, now + 2 * hour)).toBe(now + hour);
    expect(endOfKey(revokedKey(expiring, now), now)).toBe(now);
  });

  it('is answered without secrets', () => {
    const answer = keyAnswer(rotated(rotated(key, 'bb', 24), 'cc', 48), now);
    expect(answer).toEqual({
      key_id: 'abcdefghijkl',
      name: 'shop',
      status: 'active',
      scopes: ['events:write'],
      streams: null,
      rate_limit: null,
      created_at: at(0),
      expires_at: null,
      rotated_at: at(0),
      overlap_until: at(48),
      revoked_at: null,
    });
    expect(keyAnswer(rotated(key, 'bb', 24), now + 24 * hour).overlap_until).toBeNull();
    expect(keyAnswer(revokedKey(rotated(key, 'bb', 24), now), now).overlap_until).toBeNull();
  });
});
