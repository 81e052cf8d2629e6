import type { ApiKey, ApiKeyInput } from '#client';

/** A key that expires within this time is about to expire. */
const soonMs = 7 * 86_400_000;

/** Returns whether an active key expires within seven days. */
export function expiresSoon(
  { status, expires_at }: Pick<ApiKey, 'status' | 'expires_at'>,
  now: number,
): boolean {
  return status === 'active' && expires_at !== null && Date.parse(expires_at) - now <= soonMs;
}

/** The texts of the form that issues a key, which may be empty. */
export interface KeyForm {
  streams: string;
  /** A local time, `2026-12-31T23:59`, that is meant in UTC. */
  expires: string;
  events: string;
  requests: string;
}

/** Returns the limits of a key that the form gives: an empty text sets none. */
export function keyLimits({ streams, expires, events, requests }: KeyForm): Partial<ApiKeyInput> {
  const names = streams.split(/[\s,]+/).filter(Boolean);
  const rate = {
    ...(events !== '' && { events_per_second: Number(events) }),
    ...(requests !== '' && { requests_per_second: Number(requests) }),
  };
  return {
    ...(names.length > 0 && { streams: names }),
    ...(expires !== '' && { expires_at: `${expires.slice(0, 16)}:00Z` }),
    ...(Object.keys(rate).length > 0 && { rate_limit: rate }),
  };
}
