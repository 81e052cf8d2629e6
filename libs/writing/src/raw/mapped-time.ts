import { earliestTime, latestTime, parseTime, type EpochMicros } from '#event';

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

export const mappedTimeRule =
  'must be an RFC 3339 time such as 2026-11-21T04:00:00Z, or a number of seconds, milliseconds, microseconds or ' +
  'nanoseconds since 1970, from 1900 up to 2200';

/**
 * Parses an RFC 3339 time, or a number since 1970 as text. The number of its digits determines the unit: up to 11 are
 * seconds, up to 14 milliseconds, up to 17 microseconds, up to 20 nanoseconds. Digits below a microsecond are cut off.
 * Returns undefined for an invalid time.
 */
export function mappedTime(text: string): EpochMicros | undefined {
  return parseTime(text) ?? epochTime(text);
}

function epochTime(text: string): EpochMicros | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  const scale = scales.find(([digits]) => whole.length <= digits);
  if (whole === '' || !scale) return undefined;
  const [, decimals] = scale;
  const micros =
    decimals < 0
      ? Number(whole.slice(0, decimals))
      : Number(whole) * 10 ** decimals + Number(fraction.padEnd(decimals, '0').slice(0, decimals));
  return micros >= earliestTime && micros < latestTime ? micros : undefined;
}
