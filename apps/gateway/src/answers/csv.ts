import type { StoredEvent } from '#event';

/** The columns of a CSV answer, in this order, named in its first line. */
export const csvColumns = [
  'event_id',
  'stream',
  'event_type',
  'entity_id',
  'version',
  'timestamp',
  'ingested_at',
  'schema_version',
  'partition',
  'offset',
  'metadata',
  'data',
] as const satisfies readonly (keyof StoredEvent)[];

export const csvHeader = `${csvColumns.join(',')}\r\n`;

/** What separates cells in some locale or other. */
const separator = '[;|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029]';

/**
 * Where a spreadsheet could begin a cell with a formula: `=`, `+`, `-` or `@`, full-width and small forms and the minus
 * sign included, at the start of a text or behind a separator, with nothing but white space, invisible characters and
 * quotes between.
 */
const formulaStart = new RegExp(
  // What stands between is no separator: each character is looked at by one attempt only, and the time is linear.
  `(^|${separator})((?:(?!${separator})[\\s\\p{C}"'\`´‘’“”])*)(?=[=+\\-@＝＋－＠﹦﹢﹣﹫−])`,
  'gu',
);

/** A tab or a line break at the start of a text, which some spreadsheets leave out before they look for a formula. */
const lineStart = /^[\t\r\n]/;

/**
 * One event as a line of RFC 4180. null is an empty field. CSV is for spreadsheets, and a spreadsheet runs formulas that
 * a client has written: an apostrophe stands before each character that could begin one, and before a text that begins
 * with a tab or a line break. `text` changes what is in the fields instead: who needs the exact text leaves it as it is.
 */
export function csvLine(event: StoredEvent, text: (of: string) => string = withoutFormulas): string {
  return `${csvColumns.map((column) => csvField(event[column], text)).join(',')}\r\n`;
}

function csvField(value: string | number | null, text: (of: string) => string): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const shown = text(value);
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function withoutFormulas(text: string): string {
  const safe = text.replace(formulaStart, "$1$2'");
  return lineStart.test(safe) ? `'${safe}` : safe;
}
