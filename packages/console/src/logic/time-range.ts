/** Ranges that end now, by their names in the URL, with their lengths in seconds. */
export const relativeRanges = { '15m': 900, '1h': 3_600, '24h': 86_400, '7d': 604_800 } as const;

export type RangeName = keyof typeof relativeRanges | 'all' | 'custom';

/** The ranges in the order in which a view offers them. */
export const rangeTitles: readonly (readonly [RangeName, string])[] = [
  ['15m', 'Last 15 min'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 h'],
  ['7d', 'Last 7 d'],
  ['all', 'Everything'],
  ['custom', 'Custom'],
];

/** How often a view loads its data again, by the names in the URL, in seconds. */
export const refreshIntervals = { off: 0, '5s': 5, '15s': 15, '1m': 60 } as const;

export type RefreshName = keyof typeof refreshIntervals;

/** The parameters of the URL that select a range: a name, or the bounds of a custom range. */
export interface RangeParameters {
  range?: string;
  since?: string;
  until?: string;
}

/** A range as the URL has it: a relative one has no bounds. */
export interface TimeRange extends TimeBounds {
  name: RangeName;
}

/** Bounds of a range: RFC 3339, the end excluded. */
export interface TimeBounds {
  since?: string;
  until?: string;
}

/** What is wrong with the bounds of a custom range. */
export type RangeErrors = TimeBounds;

export const expectedTime = 'Expected: 2026-01-31T10:00:00Z. Without a zone, the time is in UTC.';

/** Returns the range that the URL selects, or the default of the view. Bounds win over a name. */
export function rangeOf(
  { range, since, until }: RangeParameters,
  byDefault: RangeName,
  hasAll = true,
): TimeRange {
  if (since !== undefined || until !== undefined) return { name: 'custom', since, until };
  return { name: isRelative(range) || (hasAll && range === 'all') ? range : byDefault };
}

/** Returns the bounds of a range at a time. An invalid bound is left out. */
export function boundsAt({ name, since, until }: TimeRange, now: number): TimeBounds {
  if (isRelative(name)) return { since: iso(now - relativeRanges[name] * 1000), until: iso(now) };
  if (name === 'all') return {};
  return { since: since && readTime(since, now), until: until && readTime(until, now) };
}

/** Returns what is wrong with the bounds of a range, beside each bound. */
export function errorsOf({ since, until }: TimeRange, now: number): RangeErrors {
  const [from, to] = [since, until].map((text) => text && readTime(text, now));
  const late = from && to && Date.parse(from) >= Date.parse(to);
  return {
    since: since && !from ? expectedTime : undefined,
    until: until && !to ? expectedTime : late ? 'Until must be later than since.' : undefined,
  };
}

/** Returns the parameters of the API that select a range at the time of each request. */
export function requestTimes(range: TimeRange, now: number): TimeBounds {
  return isRelative(range.name) ? { since: `-${range.name}` } : boundsAt(range, now);
}

const relativeText = /^(?:now|-([1-9]\d{0,7})([smhd]))$/;
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Reads a time as a person writes it, and returns it in UTC: RFC 3339, with a space instead of `T`, without seconds, only
 * a date, or relative to `now` as in the API (`-15m`). Returns undefined for any other text.
 */
export function readTime(text: string, now: number): string | undefined {
  const [relative, count = '0', unit = 's'] = relativeText.exec(text.trim()) ?? [];
  if (relative !== undefined) return iso(now - Number(count) * unitSeconds[unit]! * 1000);
  const found =
    /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?::(\d\d)(\.\d{1,6})?)?(?: ?([Zz]|[+-]\d\d:\d\d))?)?$/.exec(
      text.trim(),
    );
  if (!found) return undefined;
  const [, date, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = found;
  const clock = `${date}T${minutes}:${seconds}`;
  const inUtc = Date.parse(`${clock}Z`);
  // `Date.parse` reads 30 February as 2 March.
  if (Number.isNaN(inUtc) || !iso(inUtc).startsWith(clock)) return undefined;
  const time = Date.parse(`${clock}${zone.toUpperCase()}`);
  return Number.isNaN(time) ? undefined : `${iso(time).slice(0, 19)}${fraction}Z`;
}

/** Returns whether a text is a time relative to now, as the API reads it. */
export function isRelativeTime(text: string): boolean {
  return relativeText.test(text.trim());
}

export function isRelative(name: string | undefined): name is keyof typeof relativeRanges {
  return name !== undefined && Object.hasOwn(relativeRanges, name);
}

function iso(milliseconds: number): string {
  return new Date(Math.max(0, milliseconds)).toISOString();
}
