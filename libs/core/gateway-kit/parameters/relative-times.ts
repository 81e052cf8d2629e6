import { earliestTime, latestTime, parseTime, type EpochMicros } from '#json';

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a number and a unit such as `30s`, `5m`, `1h`, `1d`. Returns seconds; undefined for any other text. */
export function parseSeconds(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,7})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (secondsOf[unit] ?? NaN);
}

/** Returns how long before "now" a relative time is, in microseconds: 0 for `now`; undefined for any other text. */
function parseAgo(text: unknown): number | undefined {
  if (text === 'now') return 0;
  const seconds = typeof text === 'string' && text.startsWith('-') ? parseSeconds(text.slice(1)) : undefined;
  return seconds === undefined ? undefined : seconds * 1_000_000;
}

/** The query parameters of a request as it sends them. */
type SentParameters = Readonly<Record<string, unknown>>;

/** When a request arrived, for each request with a relative time: all its times count from the same instant. */
const arrivals = new WeakMap<SentParameters, EpochMicros>();

function arrivalOf(sent: SentParameters): EpochMicros {
  const known = instantOf(sent.cursor) ?? arrivals.get(sent);
  if (known !== undefined) return known;
  const now = Date.now() * 1000;
  arrivals.set(sent, now);
  return now;
}

/**
 * Parses an RFC 3339 time, or a relative one: `now`, `-15m`, `-1h`, `-7d`. A relative time counts from the arrival of the
 * request; with the cursor of a next page, from the arrival of the request for the first page. Returns undefined for any
 * other text, and for times before 1900.
 */
export function parseRequestTime(text: string, sent: SentParameters): EpochMicros | undefined {
  const ago = parseAgo(text);
  if (ago === undefined) return parseTime(text);
  const time = arrivalOf(sent) - ago;
  return time >= earliestTime ? time : undefined;
}

/** The instant before a cursor or a live stream's id, in base 36. */
const instantPattern = /^([0-9a-z]{1,11})~/;

function instantOf(token: unknown): EpochMicros | undefined {
  const [, digits] = (typeof token === 'string' && instantPattern.exec(token)) || [];
  const instant = digits === undefined ? NaN : parseInt(digits, 36);
  return instant < latestTime ? instant : undefined;
}

type TimeRange = Partial<Record<'since' | 'until', EpochMicros>>;
const rangeNames = ['since', 'until'] as const;

/**
 * Returns the text that precedes cursors and ids of a request with relative times: the instant from which they count.
 * So the next page has the same times. Returns an empty text if the request has no relative time.
 */
export function instantPrefix(sent: unknown, range: TimeRange): string {
  for (const name of rangeNames) {
    const [time, ago] = [range[name], parseAgo((sent as SentParameters)[name])];
    if (time !== undefined && ago !== undefined) return `${(time + ago).toString(36)}~`;
  }
  return '';
}

/** Returns a cursor without the text of `instantPrefix`; unchanged if it begins with another text. */
export function withoutInstant(cursor: string | undefined, prefix: string): string | undefined {
  return cursor?.startsWith(prefix) ? cursor.slice(prefix.length) : cursor;
}

/** Returns the range of a request that resumes with an id: its relative times count from the instant of the id. */
export function resumedRange(sent: unknown, range: TimeRange, id: string | undefined): TimeRange {
  const instant = instantOf(id);
  if (instant === undefined) return range;
  const times = rangeNames.map((name) => {
    const ago = parseAgo((sent as SentParameters)[name]);
    return [name, ago === undefined ? range[name] : instant - ago] as const;
  });
  return Object.fromEntries(times);
}
