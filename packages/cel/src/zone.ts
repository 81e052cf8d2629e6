import { currentEvaluation, spend } from './budget.js';
import { EvaluationError } from './errors.js';

/** The offsets from UTC of a time zone on a day in UTC: `before` until the instant `changesAt`, then `after`. */
interface DayOffsets {
  day: number;
  changesAt: number;
  before: number;
  after: number;
}

interface OpenTimeZone {
  format: Intl.DateTimeFormat;
  offsets: DayOffsets;
  /** The number of the evaluation that was last charged for opening the time zone, and the day that it was charged for. */
  chargedIn: number;
  chargedDay: number;
}

/** Maximum number of characters in the name of a time zone; the longest name of the IANA database has 32. */
const longestName = 64;

const dayLength = 86_400_000;
const zonesKept = 100;
/** Number of steps charged for opening a time zone, and for looking up its offsets from UTC on a day. */
const stepsOfOpening = 500;
const stepsOfLookingUp = 80;
const zones = new Map<string, OpenTimeZone>();

/**
 * Returns the local time of an instant, readable with the UTC methods of `Date`. Zones are those of Node.js's IANA
 * database, such as Europe/Berlin, and fixed offsets such as +05:30.
 * @throws EvaluationError if there is no such zone
 */
export function wallClock(milliseconds: number, zone: string, at: number): Date {
  if (zone.length > longestName) throw noZone(at);
  const fixed = fixedOffset(zone);
  if (fixed !== undefined) return new Date(milliseconds + fixed);
  const known = opened(zone, at);
  const day = Math.floor(milliseconds / dayLength);
  if (known.chargedDay !== day) spend(stepsOfLookingUp);
  known.chargedDay = day;
  if (known.offsets.day !== day) known.offsets = offsetsOf(known.format, day);
  const { changesAt, before, after } = known.offsets;
  return new Date(milliseconds + (milliseconds < changesAt ? before : after));
}

/**
 * Returns an open zone. Each evaluation is charged for opening it, even if it is open: a cost does not depend on
 * earlier evaluations in this process. Zones of the current evaluation are evicted last.
 */
function opened(zone: string, at: number): OpenTimeZone {
  const known = zones.get(zone);
  if (known?.chargedIn === currentEvaluation()) return known;
  spend(stepsOfOpening);
  const format = known?.format ?? formatOf(zone);
  if (!format) throw noZone(at);
  const made = known ?? {
    format,
    offsets: { day: NaN, changesAt: 0, before: 0, after: 0 },
    chargedIn: 0,
    chargedDay: NaN,
  };
  made.chargedIn = currentEvaluation();
  made.chargedDay = NaN;
  zones.delete(zone);
  const oldest = zones.keys().next().value;
  if (zones.size >= zonesKept && oldest !== undefined) zones.delete(oldest);
  zones.set(zone, made);
  return made;
}

function noZone(at: number): EvaluationError {
  return new EvaluationError('A time zone is written like Europe/Berlin, UTC or +05:30.', at);
}

/** Returns the milliseconds of a fixed offset such as +05:30; undefined for any other text. */
export function fixedOffset(zone: string): number | undefined {
  const fixed = /^([+-]?)([01]\d|2[0-3]):([0-5]\d)$/.exec(zone);
  if (!fixed) return undefined;
  const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
  return (fixed[1] === '-' ? -minutes : minutes) * 60_000;
}

/** Matches the names that ICU has beside those of the IANA database, such as IST, which guesses one of three zones. */
const ownZones =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i;

/** Returns the format whose texts `offsetAt` reads; undefined if the IANA database has no zone of this name. */
export function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  // Some versions of Node.js also read +0530 and +05.
  if (timeZone.length > longestName || !/^[a-z]/i.test(timeZone) || ownZones.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

/** Returns a zone's offsets on a day in UTC. */
function offsetsOf(format: Intl.DateTimeFormat, day: number): DayOffsets {
  const low = day * dayLength;
  const high = low + dayLength;
  const before = offsetAt(format, low);
  const after = offsetAt(format, high);
  const changesAt = before === after ? high : changeBetween(format, low, high);
  return { day, changesAt, before, after };
}

/**
 * A span in milliseconds in which a zone changes its offset at most once: the shortest time between two changes in the
 * IANA database is 6 days and 23 hours.
 */
export const spanOfOneChange = 6 * dayLength;

/** Returns the instant between `low` and `high` at which a zone changes its offset, which it does at any second. */
export function changeBetween(format: Intl.DateTimeFormat, low: number, high: number): number {
  const before = offsetAt(format, low);
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(format, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns the offset in milliseconds at an instant; `Intl` writes 12/31/1969, GMT-00:44:30, or GMT for no offset. */
export function offsetAt(format: Intl.DateTimeFormat, instant: number): number {
  const offset = /GMT([+-])(\d\d):(\d\d):?(\d\d)?$/.exec(format.format(instant));
  if (!offset) return 0;
  const [, sign, hours, minutes, seconds = 0] = offset;
  const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -size : size) * 1000;
}
