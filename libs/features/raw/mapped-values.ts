import { powerOfTen, readDecimal } from '#cel';
import { nameUuid, uuidPattern } from '#event';
import { earliestTime, latestTime, parseTime, type EpochMicros } from '#json';

/**
 * For a number of seconds, milli-, micro- or nanoseconds since 1970 with at most `digits` digits before the point: the
 * power of ten that converts it to microseconds.
 */
const scales: readonly [digits: number, decimals: number][] = [
  [11, 6],
  [14, 3],
  [17, 0],
  [20, -3],
];

/** A number as in JSON, or with leading zeros. */
const number = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export const mappedTimeRule =
  'must be an RFC 3339 time such as 2026-11-21T04:00:00Z, or a number of seconds, milliseconds, microseconds or ' +
  'nanoseconds since 1970 (negative before 1970), from 1900-01-01T00:00:00Z up to, but not including, ' +
  '2200-01-01T00:00:00Z';

/**
 * Parses an RFC 3339 time, or a number since 1970 as text, with or without an exponent. The number of its digits before
 * the point determines the unit: up to 11 are seconds, up to 14 milliseconds, up to 17 microseconds, up to 20
 * nanoseconds. Digits below a microsecond are cut off, like those of an RFC 3339 time. Returns undefined for an invalid
 * time.
 */
export function mappedTime(text: string): EpochMicros | undefined {
  return parseTime(text) ?? epochTime(text);
}

function epochTime(text: string): EpochMicros | undefined {
  const exact = number.test(text) ? readDecimal(text) : undefined;
  if (!exact) return undefined;
  const { units, scale } = exact;
  const whole = units / powerOfTen(scale);
  const digits = (whole < 0n ? -whole : whole).toString().length;
  const [, decimals = undefined] = scales.find(([most]) => digits <= most) ?? [];
  if (decimals === undefined) return undefined;
  const micros = Number(floored(units * powerOfTen(decimals + 3), powerOfTen(scale + 3)));
  return micros >= earliestTime && micros < latestTime ? micros : undefined;
}

/** Returns the largest integer that is at most the quotient; `/` of bigints would round towards zero. */
function floored(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

export const mappedVersionRule = 'must be an integer from 0 to 9007199254740991';

/**
 * Parses the expected version of a conditional write from its decimal digits. Returns null if it is missing, undefined
 * if it is invalid.
 */
export function mappedVersion(value: unknown): number | null | undefined {
  if (value == null) return null;
  if (typeof value !== 'string' || !/^(?:0|[1-9]\d{0,15})$/.test(value)) return undefined;
  const version = Number(value);
  return Number.isSafeInteger(version) ? version : undefined;
}

const halfPair = /\p{Surrogate}/u;

export const clientIdRule = 'must be a non-empty text or a number';

/**
 * Returns the `event_id` for an id that the sender has chosen: a UUID is used in lower case, and a UUIDv5 is derived
 * from any other text. Returns undefined if the id is not a non-empty, well-formed text.
 */
export function clientId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || halfPair.test(id)) return undefined;
  return uuidPattern.test(id) ? id.toLowerCase() : nameUuid(id);
}
