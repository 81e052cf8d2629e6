import { parseTime, type Micros } from '#event';
import type { KeyDefinition, KeySecret } from '#registry';

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

function isOver(time: string | undefined, now: Micros): boolean {
  return time !== undefined && (parseTime(time) ?? 0) <= now;
}
