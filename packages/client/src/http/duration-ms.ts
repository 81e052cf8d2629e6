const short = /^(\d+)([smhd])$/;
const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const iso = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/** Returns the milliseconds of a duration such as `30s` or `PT30S`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = short.exec(text) ?? [];
  if (count !== undefined) return Number(count) * unitMs[unit as keyof typeof unitMs];
  const found = iso.exec(text);
  if (!found) return undefined;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}
