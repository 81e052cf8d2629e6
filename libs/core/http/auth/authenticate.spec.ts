import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ProblemError } from '#api';
import { generateKey } from './api-key.js';
import { authenticate, requireKeyScope, bearerKey } from './authenticate.js';
import { secretsPerKey, type ApiKey, type KeyRing } from './key-ring.js';

const now = Date.UTC(2026, 10, 21);
const mine = generateKey();
const other = generateKey();
const expired = generateKey();
const revoked = generateKey();
const rotated = generateKey();
const rotatedOut = generateKey();
const unknownKey = generateKey();

const ring = ringOf([
  entry(mine),
  entry(other),
  { ...entry(expired), expiresAt: now },
  { ...entry(revoked), secrets: [] },
  rotatedTo(generateKey(), [rotated, now + 1]),
  rotatedTo(generateKey(), [rotatedOut, now], [generateKey(), now + 1]),
]);

describe('authentication', () => {
  it('accepts a known key, with the scheme in any case', () => {
    expect(attempt(`Bearer ${mine.key}`)).toBe(mine.keyId);
    expect(attempt(`bearer ${mine.key}`)).toBe(mine.keyId);
  });

  it('accepts the old and the new secret during the overlap of a rotation', () => {
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
    ['the scheme alone', ['Bearer'], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
    ['the scheme and blanks', ['Bearer  '], 'unauthenticated', 401, /^Bearer realm="tributary"$/],
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
    ['a revoked key', [`Bearer ${revoked.key}`], 'invalid_token', 401, /error="invalid_token"/],
    [
      'a secret whose overlap is over',
      [`Bearer ${rotatedOut.key}`],
      'invalid_token',
      401,
      /error="invalid_token"/,
    ],
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
  ])('rejects %s', (...row) => {
    const [, headers, code, status, challenge] = row;
    const problem = refusal(() => attempt(...headers));
    expect([problem.code, problem.status]).toEqual([code, status]);
    expect(problem.options.headers?.['www-authenticate']).toMatch(challenge);
  });

  it.each([
    ['an unknown key', generateKey().key],
    ["another secret of a known key's id", otherSecretOf(mine)],
    ["another secret of a rotated key's id", otherSecretOf(rotated)],
    ["another secret of a revoked key's id", otherSecretOf(revoked)],
    ['a revoked key', revoked.key],
    ['an expired key', expired.key],
    ['a secret whose overlap is over', rotatedOut.key],
  ])('answers %s like an unknown key, after the same work', (_case, key) => {
    const unknown = workOf(() => refusal(() => attempt(`Bearer ${unknownKey.key}`)));
    const work = workOf(() => refusal(() => attempt(`Bearer ${key}`)));
    expect(work.result.toDocument()).toEqual(unknown.result.toDocument());
    expect(work.result.options.headers).toEqual(unknown.result.options.headers);
    expect(work.calls).toEqual(unknown.calls);
  });

  it('rejects every other text without an internal error', () => {
    const edits = fc.record({
      at: fc.nat(mine.key.length),
      cut: fc.nat(3),
      put: fc.string({ maxLength: 3 }),
    });
    const likeMine = edits.map(({ at, cut, put }) => mine.key.slice(0, at) + put + mine.key.slice(at + cut));
    const text = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary' }), likeMine);
    const wrong = text.filter((one) => !['', mine.key].includes(one.trim()));
    fc.assert(
      fc.property(wrong, (one) => {
        expect(refusal(() => attempt(`Bearer ${one}`)).code).toBe('invalid_token');
        expect(refusal(() => attempt(one)).status).toBe(401);
      }),
      { numRuns: 2000 },
    );
  });

  it('does the same work for an accepted key', () => {
    const unknown = workOf(() => refusal(() => attempt(`Bearer ${unknownKey.key}`)));
    const known = workOf(() => attempt(`Bearer ${rotated.key}`));
    expect(known.calls).toEqual(unknown.calls);
    expect(known.calls).toEqual({ hashes: 2, comparisons: secretsPerKey });
  });
});

describe('authorization', () => {
  it('requires exactly the scope: admin does not include other scopes', () => {
    const key: ApiKey = { ...entry(mine), scopes: new Set(['admin']) };
    requireKeyScope(key, 'admin');
    const problem = refusal(() => requireKeyScope(key, 'events:read'));
    expect(problem.status).toBe(403);
    expect(problem.options.headers?.['www-authenticate']).toBe(
      'Bearer realm="tributary", error="insufficient_scope", scope="events:read"',
    );
  });

  it('is satisfied by one of several scopes, and a problem names all of them', () => {
    const key: ApiKey = { ...entry(mine), scopes: new Set(['events:read']) };
    requireKeyScope(key, 'definitions:read', ['events:read', 'subscriptions:consume']);
    const problem = refusal(() => requireKeyScope(key, 'definitions:read', ['subscriptions:consume']));
    expect(problem.message).toContain('the scope definitions:read or subscriptions:consume.');
  });
});

function entry(made: { keyId: string; sha256: string }): ApiKey {
  return { keyId: made.keyId, secrets: [secret(made)], scopes: new Set(['events:read']) };
}

type Made = ReturnType<typeof generateKey>;

function secret(made: { sha256: string }, expiresAt?: number): ApiKey['secrets'][number] {
  return { sha256: Buffer.from(made.sha256, 'hex'), ...(expiresAt !== undefined && { expiresAt }) };
}

/**
 * Returns a key whose older secrets are still valid, each up to a time. The id of the key is the id of its first
 * secret.
 */
function rotatedTo(newest: Made, ...older: [Made, number][]): ApiKey {
  const secrets = [secret(newest), ...older.map(([made, expiresAt]) => secret(made, expiresAt))];
  return { keyId: older[0]![0].keyId, secrets, scopes: new Set(['events:read']) };
}

function ringOf(keys: ApiKey[]): KeyRing {
  return { find: (keyId) => keys.find((key) => key.keyId === keyId) };
}

function attempt(...headers: string[]): string {
  const rawHeaders = headers.flatMap((value) => ['authorization', value]);
  return authenticate(bearerKey({ rawHeaders: ['Host', 'x', ...rawHeaders] }), ring, now).keyId;
}

function refusal(action: () => unknown): ProblemError {
  try {
    action();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

/** Returns the id of one key with the secret of another: a well-formed key that was never generated. */
function otherSecretOf({ keyId }: { keyId: string }): string {
  const [, , secretPart] = generateKey().key.split('_');
  const body = `trb_${keyId}_${secretPart}`;
  return `${body}_${createHash('sha256').update(body).digest('hex').slice(0, 6)}`;
}

/** Counts hashes and comparisons of an action. Measured time would make the spec unreliable. */
function workOf<T>(action: () => T): { result: T; calls: { hashes: number; comparisons: number } } {
  const spies = [vi.spyOn(crypto, 'createHash'), vi.spyOn(crypto, 'timingSafeEqual')] as const;
  syncBuiltinESMExports();
  try {
    const result = action();
    const [hashes, comparisons] = spies.map((spy) => spy.mock.calls.length) as [number, number];
    return { result, calls: { hashes, comparisons } };
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
}
