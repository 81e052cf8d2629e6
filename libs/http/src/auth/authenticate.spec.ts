import { describe, expect, it } from 'vitest';
import { ProblemError } from '#contracts';
import { generateKey } from './api-key.js';
import { authenticate, authorize } from './authenticate.js';
import type { ApiKey, KeyRing } from './key-ring.js';

const now = Date.UTC(2026, 10, 21);
const mine = generateKey();
const other = generateKey();
const expired = generateKey();
const rotated = generateKey();

const ring = ringOf([
  entry(mine),
  entry(other),
  { ...entry(expired), expiresAt: now },
  { ...entry(rotated), sha256: [Buffer.from(other.sha256, 'hex'), Buffer.from(rotated.sha256, 'hex')] },
]);

describe('authentication', () => {
  it('lets in a key that is known, whatever the case of the scheme', () => {
    expect(attempt(`Bearer ${mine.key}`)).toBe(mine.keyId);
    expect(attempt(`bearer ${mine.key}`)).toBe(mine.keyId);
  });

  it('lets in either secret while an old one overlaps with a new one', () => {
    expect(attempt(`Bearer ${rotated.key}`)).toBe(rotated.keyId);
  });

  const [prefix, , secret, checksum] = mine.key.split('_');
  it.each<[string, string[], string, number, RegExp]>([
    ['none', [], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
    ['another scheme', ['Basic dTpw'], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
    [
      'a scheme that starts alike',
      [`Bearerx ${mine.key}`],
      'unauthenticated',
      401,
      /^Bearer realm="tributary"$/,
    ],
    ['only the key', [mine.key], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
    ['an empty header', [''], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
    ['the scheme alone', ['Bearer'], 'invalid_token', 401, /error="invalid_token"/],
    [
      'two headers',
      [`Bearer ${mine.key}`, `Bearer ${mine.key}`],
      'invalid_request',
      400,
      /error="invalid_request"/,
    ],
    [
      'two keys in one',
      [`Bearer ${mine.key}, Bearer ${mine.key}`],
      'invalid_token',
      401,
      /error="invalid_token"/,
    ],
    ['a truncated key', [`Bearer ${mine.key.slice(0, -1)}`], 'invalid_token', 401, /error="invalid_token"/],
    ['an unknown key', [`Bearer ${generateKey().key}`], 'invalid_token', 401, /error="invalid_token"/],
    ['an expired key', [`Bearer ${expired.key}`], 'invalid_token', 401, /error="invalid_token"/],
    [
      "another key's id with this secret",
      [`Bearer ${prefix}_${other.keyId}_${secret}_${checksum}`],
      'invalid_token',
      401,
      /error="invalid_token"/,
    ],
    ['100 kB', [`Bearer ${'x'.repeat(100_000)}`], 'invalid_token', 401, /error="invalid_token"/],
    [
      '__proto__ as the id',
      ['Bearer trb___proto____x_000000'],
      'invalid_token',
      401,
      /error="invalid_token"/,
    ],
  ])('refuses %s', (...row) => {
    const [, headers, code, status, challenge] = row;
    const problem = refusal(() => attempt(...headers));
    expect([problem.code, problem.status]).toEqual([code, status]);
    expect(problem.options.headers?.['www-authenticate']).toMatch(challenge);
  });

  it('does not tell an unknown id from a wrong secret', () => {
    const unknown = refusal(() => attempt(`Bearer ${generateKey().key}`));
    const ring2 = ringOf([{ ...entry(mine), sha256: [Buffer.alloc(32, 1)] }]);
    const wrong = refusal(() =>
      authenticate({ rawHeaders: ['Authorization', `Bearer ${mine.key}`] }, ring2, now),
    );
    expect(wrong.toDocument()).toEqual(unknown.toDocument());
  });
});

describe('authorization', () => {
  it('asks for the scope itself: admin does not stand for the others', () => {
    const key: ApiKey = { ...entry(mine), scopes: new Set(['admin']) };
    authorize(key, 'admin');
    const problem = refusal(() => authorize(key, 'events:read'));
    expect(problem.status).toBe(403);
    expect(problem.options.headers?.['www-authenticate']).toBe(
      'Bearer realm="tributary", error="insufficient_scope", scope="events:read"',
    );
  });
});

function entry(made: { keyId: string; sha256: string }): ApiKey {
  return { keyId: made.keyId, sha256: [Buffer.from(made.sha256, 'hex')], scopes: new Set(['events:read']) };
}

function ringOf(keys: ApiKey[]): KeyRing {
  return { find: (keyId) => keys.find((key) => key.keyId === keyId) };
}

function attempt(...headers: string[]): string {
  const rawHeaders = headers.flatMap((value) => ['authorization', value]);
  return authenticate({ rawHeaders: ['Host', 'x', ...rawHeaders] }, ring, now).keyId;
}

function refusal(action: () => unknown): ProblemError {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('it was let in');
}
