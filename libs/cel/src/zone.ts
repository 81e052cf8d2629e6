import { currentEvaluation, spend } from './budget.js';
import { EvaluationError } from './errors.js';

interface OpenTimeZone {
  format: Intl.DateTimeFormat;
  /**
   * The quarter of an hour of the last lookup, and the zone's offset from UTC in it. Offsets of a zone change on
   * quarters only.
   */
  quarter: number;
  offset: number;
  /**
   * The number of the evaluation that was last charged for opening the time zone, and the quarter of an hour that it
   * was charged for.
   */
  chargedIn: number;
  chargedQuarter: number;
}

/** Maximum number of characters in the name of a time zone; the longest name of the IANA database has 32. */
const longestName = 64;

const quarterHour = 900_000;
const zonesKept = 100;
/** Number of steps charged for opening a time zone, and for looking up its offset from UTC. */
const stepsOfOpening = 500;
const stepsOfLookingUp = 40;
const zones = new Map<string, OpenTimeZone>();

/**
 * Returns the local date and time of an instant in a zone, readable with the UTC methods of `Date`. Zones are those of
 * Node.js's IANA database, such as Europe/Berlin, and fixed offsets such as +05:30.
 * @throws EvaluationError if there is no such zone
 */
export function wallClock(milliseconds: number, zone: string, at: number): Date {
  if (zone.length > longestName) throw noZone(at);
  const fixed = /^([+-]?)(\d\d):([0-5]\d)$/.exec(zone);
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(milliseconds + (fixed[1] === '-' ? -minutes : minutes) * 60_000);
  }
  const known = opened(zone, at);
  const quarter = Math.floor(milliseconds / quarterHour);
  if (known.chargedQuarter !== quarter) spend(stepsOfLookingUp);
  known.chargedQuarter = quarter;
  if (known.quarter !== quarter) {
    known.offset = offsetOf(known.format, quarter * quarterHour);
    known.quarter = quarter;
  }
  return new Date(milliseconds + known.offset);
}

/**
 * Returns an open zone. Each evaluation is charged for opening the zone, even if the zone is already open: the cost of
 * an expression does not depend on earlier evaluations in this process. Zones of the current evaluation are evicted
 * last.
 */
function opened(zone: string, at: number): OpenTimeZone {
  const known = zones.get(zone);
  if (known?.chargedIn === currentEvaluation()) return known;
  spend(stepsOfOpening);
  const made = known ?? {
    format: formatOf(zone, at),
    quarter: NaN,
    offset: 0,
    chargedIn: 0,
    chargedQuarter: 0,
  };
  made.chargedIn = currentEvaluation();
  made.chargedQuarter = NaN;
  zones.delete(zone);
  const oldest = zones.keys().next().value;
  if (zones.size >= zonesKept && oldest !== undefined) zones.delete(oldest);
  zones.set(zone, made);
  return made;
}

function noZone(at: number): EvaluationError {
  return new EvaluationError('A time zone is written like Europe/Berlin, UTC or +05:30.', at);
}

function formatOf(timeZone: string, at: number): Intl.DateTimeFormat {
  const two = '2-digit';
  const shown = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, era: 'short', hourCycle: 'h23', ...shown });
  } catch {
    throw noZone(at);
  }
}

function offsetOf(format: Intl.DateTimeFormat, milliseconds: number): number {
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const [year, month, day, hour, minute, second] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((type) => Number(parts.get(type)));
  const shown = new Date(0);
  shown.setUTCFullYear(parts.get('era') === 'BC' ? 1 - year! : year!, month! - 1, day);
  shown.setUTCHours(hour!, minute, second);
  return shown.getTime() - milliseconds;
}
