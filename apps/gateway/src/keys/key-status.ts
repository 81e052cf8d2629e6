import { parseTime, type Micros } from '#contracts';
import type { KeyDefinition, KeySecret } from '#definitions';
import type { KeyAnswer } from './key-answers.js';

export const keyStatuses = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** Whether a key works at this time, as far as it depends on the key. */
export function keyStatus({ revoked_at, expires_at }: KeyDefinition, now: Micros): KeyStatus {
  if (revoked_at !== undefined) return 'revoked';
  return isOver(expires_at, now) ? 'expired' : 'active';
}

/** When the key stopped working for good; undefined while it works. */
export function endOf(key: KeyDefinition, now: Micros): Micros | undefined {
  if (keyStatus(key, now) === 'active') return undefined;
  return parseTime(key.revoked_at ?? key.expires_at ?? '');
}

/** Whether this secret of a key works at this time. */
export function secretWorks({ expires_at }: KeySecret, now: Micros): boolean {
  return !isOver(expires_at, now);
}

/** A key as it is answered. */
export function keyAnswer(key: KeyDefinition, now: Micros): KeyAnswer {
  const { key_id, name, scopes, streams, rate_limit, created_at, expires_at, rotated_at, revoked_at } = key;
  const status = keyStatus(key, now);
  const older = key.secrets.slice(1).filter((secret) => status === 'active' && secretWorks(secret, now));
  const ends = older.map(({ expires_at: end }) => end ?? '').sort();
  return {
    key_id,
    name,
    status,
    scopes,
    streams: streams ?? null,
    rate_limit: rate_limit ?? null,
    created_at,
    expires_at: expires_at ?? null,
    rotated_at: rotated_at ?? null,
    overlap_until: ends.at(-1) ?? null,
    revoked_at: revoked_at ?? null,
  };
}

function isOver(time: string | undefined, now: Micros): boolean {
  return time !== undefined && (parseTime(time) ?? 0) <= now;
}
