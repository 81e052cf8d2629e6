import { withAliases } from './numbers.js';

const clock = '([01][0-9]|2[0-3]):[0-5][0-9]';
/** A time in the range of DateTime64 is in the local year 1899 or 2300 if its offset is large. */
const year = '(1899|19[0-9]{2}|2[0-2][0-9]{2}|2300)';

/**
 * The times that are read: those of `parseTime` (before 2200, up to nine digits of a fraction), or those of the format
 * `date-time` of schemas that DateTime64 has (before 2300, any number of digits).
 */
export type TimeRange = 'parseTime' | 'date-time';

/**
 * Returns SQL for the microseconds of a text of RFC 3339, Nullable(Int64). Further digits are cut off. Any other text
 * is NULL, also a leap second. ClickHouse's own functions guess: for them, the year 0 is this year.
 */
export function microsOfTimeText(text: string, times: TimeRange): string {
  const fractionDigits = times === 'parseTime' ? '[0-9]{1,9}' : '[0-9]+';
  const form = `^${year}-[0-9]{2}-[0-9]{2}[Tt]${clock}:[0-5][0-9]([.]${fractionDigits})?([Zz]|[-+]${clock})$`;
  const read = (from: number, length: number) => `toInt64OrZero(substring(text, ${from}, ${length}))`;
  // Date32 has the years 1900 to 2299. The calendar repeats after 400 years, which are 146 097 days.
  const inYear = (instead: string) => `concat('${instead}', substring(text, 5, 6))`;
  const date = `multiIf(startsWith(text, '1899'), ${inYear('2299')}, startsWith(text, '2300'), ${inYear('1900')}, substring(text, 1, 10))`;
  const moved = "multiIf(startsWith(text, '1899'), -146097, startsWith(text, '2300'), 146097, 0)";
  const days = `toInt64(toInt32(day)) + ${moved}`;
  const offset = "extract(text, '[-+][0-9]{2}:[0-9]{2}$')";
  const minutes = (sign: string) =>
    `toInt64OrZero(concat('${sign}', substring(offset, 2, 2))) * 60 + toInt64OrZero(concat('${sign}', substring(offset, 5, 2)))`;
  const east = `if(startsWith(offset, '-'), ${minutes('-')}, ${minutes('')})`;
  const fraction = "toInt64OrZero(rightPad(substring(extract(text, '[.]([0-9]+)'), 1, 6), 6, '0'))";
  const seconds = `(((${days}) * 24 + ${read(12, 2)}) * 60 + ${read(15, 2)} - (${east})) * 60 + ${read(18, 2)}`;
  const end = times === 'parseTime' ? '7258118400000000' : '10413792000000000';
  const inRange = `time >= -2208988800000000 AND time < ${end}`;
  const checked = withAliases({ time: `(${seconds}) * 1000000 + ${fraction}` }, `if(${inRange}, time, NULL)`);
  // ClickHouse would read 30 February as 2 March.
  const ofDay = withAliases(
    [{ date }, { day: 'toDate32OrNull(date)', offset }],
    `if(toString(day) = date, ${checked}, NULL)`,
  );
  return withAliases({ text }, `if(match(text, '${form}'), ${ofDay}, NULL)`);
}
