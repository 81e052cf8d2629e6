import { formatTime, parseTime } from '#json';
import { spend } from './budget.js';
import { powerOfTen, type ScaledDecimal } from './decimal.js';
import { EvaluationError } from './errors.js';
import { scaledInRange } from './numbers.js';
import {
  Duration,
  isNumeric,
  kindOf,
  needString,
  Timestamp,
  type CelFunction,
  type CelValue,
} from './values.js';
import { wallClock } from './zone.js';

const microsPerSecond = 1_000_000;
/** The range of ClickHouse's DateTime64, in microseconds. */
const earliest = Date.UTC(1900, 0, 1) * 1000;
const latest = Date.UTC(2300, 0, 1) * 1000;

export const timeFunctions: Record<string, CelFunction> = {
  'timestamp/1': ([value], at) => toTimestamp(value as CelValue, at),
  'duration/1': ([value], at) => toDuration(value as CelValue, at),
};

/** Parts of a time, in UTC or in a time zone; for a duration, its whole length in the unit. */
export const timeMethods: Record<string, CelFunction> = {
  ...part('getFullYear', (date) => date.getUTCFullYear()),
  ...part('getMonth', (date) => date.getUTCMonth()),
  ...part('getDate', (date) => date.getUTCDate()),
  ...part('getDayOfMonth', (date) => date.getUTCDate() - 1),
  ...part('getDayOfWeek', (date) => date.getUTCDay()),
  ...part('getDayOfYear', dayOfYear),
  ...part('getHours', (date) => date.getUTCHours(), 3600 * microsPerSecond),
  ...part('getMinutes', (date) => date.getUTCMinutes(), 60 * microsPerSecond),
  ...part('getSeconds', (date) => date.getUTCSeconds(), microsPerSecond),
  ...part('getMilliseconds', (date) => date.getUTCMilliseconds(), 1000),
};

/** Returns RFC 3339 text in UTC. @throws EvaluationError if the time is not in the years 1900 to 2299 */
export function timeText({ micros }: Timestamp, at: number): string {
  return formatTime(inRange(micros, at));
}

/** Returns a CEL duration as text in seconds, such as 5400s or -0.25s. */
export function durationText({ micros }: Duration): string {
  const size = Math.abs(micros);
  const fraction = String(size % microsPerSecond)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const whole = Math.floor(size / microsPerSecond);
  return `${micros < 0 ? '-' : ''}${whole}${fraction && `.${fraction}`}s`;
}

function part(
  name: string,
  ofDate: (date: Date) => number,
  microsOfDuration?: number,
): Record<string, CelFunction> {
  return {
    [`${name}/1`]: ([value], at) => {
      if (value instanceof Duration && microsOfDuration) return Math.trunc(value.micros / microsOfDuration);
      return ofDate(new Date(milliseconds(value as CelValue, at)));
    },
    [`${name}/2`]: ([value, zone], at) =>
      ofDate(wallClock(milliseconds(value as CelValue, at), needString(zone as CelValue, at), at)),
  };
}

function milliseconds(value: CelValue, at: number): number {
  if (value instanceof Timestamp) return Math.floor(inRange(value.micros, at) / 1000);
  throw new EvaluationError(`A timestamp is needed, this is a ${kindOf(value)}.`, at);
}

function inRange(micros: number, at: number): number {
  if (micros >= earliest && micros < latest) return micros;
  throw new EvaluationError('The time is not in the years 1900 to 2299.', at);
}

function toTimestamp(value: CelValue, at: number): Timestamp {
  if (value instanceof Timestamp) return value;
  if (isNumeric(value)) return new Timestamp(inRange(roundedMicros(scaledInRange(value, at)), at));
  const micros = parseTime(needString(value, at));
  if (micros !== undefined) return new Timestamp(micros);
  throw new EvaluationError('A time is RFC 3339, such as 2026-11-21T04:00:00Z.', at);
}

/** Converts seconds to microseconds, rounded to the nearest microsecond; halves are rounded up. */
function roundedMicros({ units, scale }: ScaledDecimal): number {
  const half = powerOfTen(scale);
  const [above, below] = [2n * BigInt(microsPerSecond) * units + half, 2n * half];
  const towardsZero = above / below;
  return Number(above < 0n && towardsZero * below !== above ? towardsZero - 1n : towardsZero);
}

/** The message for a text that is not a duration. */
export const notADuration = 'A duration is written like 1h30m, 500ms or -1.5s.';

const units: Record<string, number> = { h: 3_600_000_000, m: 60_000_000, s: 1_000_000, ms: 1000, us: 1 };

/** Number of characters of a duration's text that count as one step; few, because each part of the text is a number. */
const charactersPerStep = 4;

function toDuration(value: CelValue, at: number): Duration {
  if (value instanceof Duration) return value;
  const text = needString(value, at);
  spend(text.length / charactersPerStep);
  const micros = durationMicros(text);
  if (micros === undefined) throw new EvaluationError(notADuration, at);
  return new Duration(micros);
}

/** Returns the microseconds of a duration such as `1h30m`, `500ms` or `-1.5s`; undefined for any other text. */
export function durationMicros(text: string): number | undefined {
  const whole = /^([+-]?)((?:\d+(?:\.\d+)?(?:h|ms|m|s|us))+)$/.exec(text);
  if (!whole) return undefined;
  let micros = 0;
  for (const [, amount, unit] of (whole[2] as string).matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us)/g)) {
    micros += Number(amount) * (units[unit as string] as number);
  }
  return Math.round(whole[1] === '-' ? -micros : micros);
}

function dayOfYear(day: Date): number {
  return Math.floor((day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / 86_400_000);
}
