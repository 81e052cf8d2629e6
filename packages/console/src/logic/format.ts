/** Returns the digits of a whole number in groups of three, without rounding. */
export function grouped(value: number | string | bigint): string {
  const [whole = '', ...rest] = String(value).split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ' '), ...rest].join('.');
}

/** Returns a number as short text for an axis or a tile, with at most three digits and a unit prefix: `1.2k`, `34M`. */
export function short(value: number): string {
  const { left, unit } = scaled(value, 1000, ['', 'k', 'M', 'G', 'T']);
  const digits = Math.abs(left) >= 100 || Number.isInteger(left) ? 0 : Math.abs(left) >= 10 ? 1 : 2;
  return `${Number(left.toFixed(digits))}${unit}`;
}

/** Returns a number in the largest unit in which it is at least 1; each unit is `step` times the one before it. */
function scaled(value: number, step: number, units: readonly string[]): { left: number; unit: string } {
  let [left, i] = [value, 0];
  while (Math.abs(left) >= step && i < units.length - 1) [left, i] = [left / step, i + 1];
  return { left, unit: units[i]! };
}

/** Returns seconds in the largest two units: `3 d 4 h`, `12 s`. */
export function duration(seconds: number): string {
  if (seconds < 1) return seconds <= 0 ? '0 s' : `${Math.round(seconds * 1000)} ms`;
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, unit] = units[first]!;
  const next = units[first + 1];
  const count = Math.floor(seconds / size);
  const rest = next ? Math.floor((seconds - count * size) / next[0]) : 0;
  return rest > 0 ? `${count} ${unit} ${rest} ${next![1]}` : `${count} ${unit}`;
}

/** Returns how long before `now` a time was; a time after `now` is `in …`. A time more than a year away is a date. */
export function ago(time: string, now: number): string {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return time;
  if (Math.abs(seconds) < 1) return 'now';
  if (Math.abs(seconds) > 366 * 86_400) return time.slice(0, 10);
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/** Returns a UTC time for a table: a space instead of `T`, milliseconds, no zone. */
export function tableTime(time: string): string {
  const [, date, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)/.exec(time) ?? [];
  return date === undefined ? time : `${date} ${clock}`;
}

/** Returns the UTC time of day of a time in milliseconds, with seconds. */
export function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 19);
}

/** Returns a time in the zone of the browser, with the name of the zone; '' if that is UTC, or if it is no time. */
export function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC') return '';
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
}

export function bytes(count: number): string {
  const { left, unit } = scaled(count, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
  return `${Number(left.toFixed(left < 10 && unit !== 'B' ? 1 : 0))} ${unit}`;
}
