import { parseTime, type EpochMicros } from '#json';
import type { ApiKeyDefinition, ApiKeySecretHash } from '#registry';

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
