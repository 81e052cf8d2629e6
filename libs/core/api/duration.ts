const short = /^(\d+)([smhd])$/;
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/**
 * Parses `90s`, `15m`, `12h`, `7d`, or an ISO 8601 duration of days, hours, minutes and seconds, such as `P30D` or
 * `PT12H`. Returns milliseconds.
 * @throws RangeError for any other text
 */
export function durationMs(text: string): number {
  const [, count, unit] = short.exec(text) ?? [];
  if (Number(count) > 0) return Number(count) * unitMs[unit as keyof typeof unitMs];
  const match = duration.exec(text);
  const [days, hours, minutes, seconds] = (match?.slice(1) ?? []).map((part) => Number(part ?? 0));
  const total = (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
  if (!match || total <= 0) throw new RangeError('not a duration such as 7d, P30D or PT12H');
  return total * 1000;
}
