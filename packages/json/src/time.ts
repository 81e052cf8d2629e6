/**
 * A time in whole microseconds since 1970-01-01T00:00:00Z, as a JavaScript number: exact until the year 2255. Accepted
 * times are from 1900-01-01 up to (not including) 2200-01-01; ClickHouse's DateTime64(6) holds all of them.
 */
export type EpochMicros = number;

export const earliestTime: EpochMicros = Date.UTC(1900, 0, 1) * 1000;
export const latestTime: EpochMicros = Date.UTC(2200, 0, 1) * 1000;

/**
 * Parses an RFC 3339 date-time; truncates the fraction to microseconds. Returns undefined for any other text, for
 * impossible dates (30 February, hour 24) and for times out of range.
 */
export function parseTime(text: string): EpochMicros | undefined {
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  // The condition is negated because a part that is not two digits is NaN, and a comparison with NaN is false.
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  if (!hasSeparators(text) || !(day >= 1 && day <= daysIn(year, month))) return undefined;
  const fractionEnd = endOfFraction(text);
  const offset = fractionEnd === undefined ? undefined : offsetMinutes(text, fractionEnd);
  if (fractionEnd === undefined || offset === undefined) return undefined;
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset;
  const micros = (minutes * 60 + second) * 1_000_000 + fractionMicros(text, fractionEnd);
  return micros >= earliestTime && micros < latestTime ? micros : undefined;
}

/** Returns two digits as a number; NaN if one of them is not a digit. */
function pair(text: string, at: number): number {
  const high = text.charCodeAt(at) - 0x30;
  const low = text.charCodeAt(at + 1) - 0x30;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : NaN;
}

function hasSeparators(text: string): boolean {
  return (
    text[4] === '-' &&
    text[7] === '-' &&
    (text[10] === 'T' || text[10] === 't') &&
    text[13] === ':' &&
    text[16] === ':'
  );
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : (daysOfMonth[month - 1] ?? NaN);
}

/** Returns the index after the fraction (a dot and one to nine digits, or nothing); undefined for another one. */
function endOfFraction(text: string): number | undefined {
  if (text[19] !== '.') return 19;
  let i = 20;
  while (i <= 29 && text.charCodeAt(i) >= 0x30 && text.charCodeAt(i) <= 0x39) i++;
  return i > 20 && i <= 29 ? i : undefined;
}

function fractionMicros(text: string, end: number): number {
  let micros = 0;
  for (let i = 20; i < 26; i++) micros = micros * 10 + (i < end ? text.charCodeAt(i) - 0x30 : 0);
  return micros;
}

/** Returns the offset (`Z`, `+01:00`) in minutes east of UTC; undefined if the text does not end with an offset. */
function offsetMinutes(text: string, at: number): number | undefined {
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : undefined;
  const hours = pair(text, at + 1);
  const minutes = pair(text, at + 4);
  if ((sign !== '+' && sign !== '-') || text[at + 3] !== ':' || text.length !== at + 6) return undefined;
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** Returns the days from 1970-01-01 to a Gregorian date, in eras of 400 years that begin on 1 March. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

const microsPerDay = 86_400_000_000;
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const pairs = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));

/** Cache of formatted dates by day since 1970; one workload has few days. */
const dates = new Map<number, string>();
const datesKept = 4096;

/** Returns the time as `2026-11-21T04:00:00.000123Z`: UTC with a fraction of six digits. */
export function formatTime(micros: EpochMicros): string {
  const day = Math.floor(micros / microsPerDay);
  const rest = micros - day * microsPerDay;
  const seconds = Math.floor(rest / 1_000_000);
  const fraction = rest - seconds * 1_000_000;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const high = Math.floor(fraction / 10_000);
  const middle = Math.floor(fraction / 100) - high * 100;
  const clock = `${pairs[hours]}:${pairs[minutes - hours * 60]}:${pairs[seconds - minutes * 60]}`;
  return `${dateOf(day)}${clock}.${pairs[high]}${pairs[middle]}${pairs[fraction % 100]}Z`;
}

/** Returns the date of a day since 1970, as `2026-11-21T`. */
function dateOf(day: number): string {
  let date = dates.get(day);
  if (date === undefined) {
    if (dates.size >= datesKept) dates.clear();
    date = new Date(day * 86_400_000).toISOString().slice(0, 11);
    dates.set(day, date);
  }
  return date;
}

const formatted = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{6}Z$/;

/** Returns the same as `parseTime`, several times as fast for text that `formatTime` writes. */
export function parseFormattedTime(text: string): EpochMicros | undefined {
  if (!formatted.test(text)) return parseTime(text);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  // `parseTime` handles 29 February and impossible dates.
  if (text < '19' || month < 1 || day < 1 || hour > 23 || !(day <= daysOfMonth[month - 1]!))
    return parseTime(text);
  const midnight = Date.UTC(twoDigits(text, 0) * 100 + twoDigits(text, 2), month - 1, day);
  const seconds = hour * 3600 + twoDigits(text, 14) * 60 + twoDigits(text, 17);
  const fraction = twoDigits(text, 20) * 10_000 + twoDigits(text, 22) * 100 + twoDigits(text, 24);
  const micros = midnight * 1000 + seconds * 1_000_000 + fraction;
  return micros >= earliestTime && micros < latestTime ? micros : undefined;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}
