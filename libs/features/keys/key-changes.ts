import { formatTime, parseTime, type EpochMicros } from '#json';
import { ProblemError } from '#api';
import type { ApiKeyDefinition, ApiKeySecretHash } from '#registry';
import { secretsPerKey } from '#http';
import type { KeyInput } from './key-input.js';
import './key-problems.js';

export const keyStatuses = ['active', 'expired', 'revoked'] as const;
/** Status of an API key: active, expired or revoked. */
export type KeyStatus = (typeof keyStatuses)[number];

/** Returns the status of a key at this time, from its revocation and its expiry. */
export function keyStatus({ revoked_at, expires_at }: ApiKeyDefinition, now: EpochMicros): KeyStatus {
  if (revoked_at !== undefined) return 'revoked';
  return isOver(expires_at, now) ? 'expired' : 'active';
}

/** Returns when the key was revoked or expired; undefined while it is active. */
export function endOfKey(key: ApiKeyDefinition, now: EpochMicros): EpochMicros | undefined {
  if (keyStatus(key, now) === 'active') return undefined;
  return parseTime(key.revoked_at ?? key.expires_at ?? '');
}

/**
 * Whether a secret of an API key has not expired at `now`. Whether the whole key is revoked or expired is checked
 * separately.
 */
export function secretWorks({ expires_at }: ApiKeySecretHash, now: EpochMicros): boolean {
  return !isOver(expires_at, now);
}

function isOver(time: string | undefined, now: EpochMicros): boolean {
  return time !== undefined && (parseTime(time) ?? 0) <= now;
}

/** Returns the definition of a new key, with the SHA-256 hash of its secret. */
export function issuedKey(
  input: KeyInput,
  { keyId, sha256 }: { keyId: string; sha256: string },
  now: EpochMicros,
): ApiKeyDefinition {
  const { name, scopes, streams, expires_at: expiresAt, rate_limit: rate } = input;
  const { events_per_second, requests_per_second } = rate ?? {};
  const limits = {
    ...(events_per_second != null && { events_per_second }),
    ...(requests_per_second != null && { requests_per_second }),
  };
  return {
    key_id: keyId,
    name,
    secrets: [{ sha256 }],
    scopes,
    ...(streams && { streams }),
    ...(expiresAt != null && { expires_at: formatTime(expiresAt) }),
    ...(rate && { rate_limit: limits }),
    created_at: formatTime(now),
  };
}

/**
 * Returns the key with a new secret. The current secrets of the key remain valid until the overlap ends, or until their
 * own earlier expiry.
 * @throws ProblemError key_inactive, definition_limit_reached
 */
export function rotatedKey(
  key: ApiKeyDefinition,
  { sha256, overlapMs }: { sha256: string; overlapMs: number },
  now: EpochMicros,
): ApiKeyDefinition {
  const status = keyStatus(key, now);
  if (status !== 'active')
    throw new ProblemError('key_inactive', `The key is ${status} and cannot be used again. Issue a new one.`);
  const until = now + overlapMs * 1000;
  const older = key.secrets
    .map((secret) => endingBy(secret, until))
    .filter((secret) => secretWorks(secret, now));
  if (older.length >= secretsPerKey) {
    throw new ProblemError(
      'definition_limit_reached',
      `At most ${secretsPerKey} secrets of a key work at the same time. Wait until one has ended, or rotate with the ` +
        'overlap 0s, which ends the old ones.',
    );
  }
  return { ...key, secrets: [{ sha256 }, ...older], rotated_at: formatTime(now) };
}

/**
 * Returns the definition of the key with the revocation time `now`. The definition of a key that is already revoked is
 * returned unchanged.
 */
export function revokedKey(key: ApiKeyDefinition, now: EpochMicros): ApiKeyDefinition {
  return key.revoked_at === undefined ? { ...key, revoked_at: formatTime(now) } : key;
}

function endingBy({ sha256, expires_at }: ApiKeySecretHash, until: EpochMicros): ApiKeySecretHash {
  const own = expires_at === undefined ? Infinity : (parseTime(expires_at) ?? 0);
  return { sha256, expires_at: formatTime(Math.min(own, until)) };
}
