import { spend } from './budget.js';
import { EvaluationError } from './errors.js';

interface Zone {
  format: Intl.DateTimeFormat;
  /** The last quarter of an hour that was asked for, and how far from UTC it is: zones change on quarters. */
  quarter: number;
  offset: number;
}

const quarterHour = 900_000;
const zonesKept = 100;
/** What opening a zone takes, and looking up its distance from UTC, in steps. */
const stepsOfOpening = 500;
const stepsOfLookingUp = 40;
const zones = new Map<string, Zone>();

/**
 * The date and time that clocks show in a zone at an instant, to be read with the UTC methods of `Date`. Zones are those
 * of the IANA database that Node.js has, such as Europe/Berlin, and fixed offsets such as +05:30.
 * @throws EvaluationError when there is no such zone.
 */
export function wallClock(milliseconds: number, zone: string, at: number): Date {
  const fixed = /^([+-]?)(\d\d):([0-5]\d)$/.exec(zone);
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3]);
    return new Date(milliseconds + (fixed[1] === '-' ? -minutes : minutes) * 60_000);
  }
  const known = zones.get(zone) ?? open(zone, at);
  const quarter = Math.floor(milliseconds / quarterHour);
  if (known.quarter !== quarter) {
    spend(stepsOfLookingUp);
    known.offset = offsetOf(known.format, quarter * quarterHour);
    known.quarter = quarter;
  }
  return new Date(milliseconds + known.offset);
}

function open(zone: string, at: number): Zone {
  spend(stepsOfOpening);
  const made = { format: formatOf(zone, at), quarter: NaN, offset: 0 };
  const oldest = zones.keys().next().value;
  if (zones.size >= zonesKept && oldest !== undefined) zones.delete(oldest);
  zones.set(zone, made);
  return made;
}

function formatOf(timeZone: string, at: number): Intl.DateTimeFormat {
  const two = '2-digit';
  const shown = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, era: 'short', hourCycle: 'h23', ...shown });
  } catch {
    throw new EvaluationError('A time zone is written like Europe/Berlin, UTC or +05:30.', at);
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
