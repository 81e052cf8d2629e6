import type { StoredEvent } from '#event';

/** The columns of an event in a CSV answer, in their order, by the names that its first line contains. */
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

/** Characters that separate cells, in any locale. */
const separator = '[;|\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029]';

/**
 * Matches each position where a spreadsheet could start a formula: before `=`, `+`, `-` or `@`, their full-width and
 * small forms, and the minus sign. A spreadsheet formula can start at the start of a text or after a separator; only
 * white space, invisible characters and quotes may stand in between.
 */
const formulaStart = new RegExp(
  // The characters in between include no separator: the expression tries each character once, so its time is linear.
  `(^|${separator})((?:(?!${separator})[\\s\\p{C}"'\`´‘’“”])*)(?=[=+\\-@＝＋－＠﹦﹢﹣﹫−])`,
  'gu',
);

/** Matches a tab or line break at the start of a cell. Some spreadsheets skip it before they look for a formula. */
const lineStart = /^[\t\r\n]/;

/**
 * Returns one event as a line of RFC 4180; null becomes an empty field. Spreadsheets run formulas that a client has
 * written. By default, an apostrophe therefore precedes each character that could start a formula, and each text that
 * starts with a tab or a line break.
 * @param text transforms the text of each field; default: adds these apostrophes
 */
export function csvLine(event: StoredEvent, text: (of: string) => string = withoutFormulas): string {
  return `${csvColumns.map((column) => csvField(event[column], text)).join(',')}\r\n`;
}

function csvField(value: string | number | null, text: (of: string) => string): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const shown = text(value);
  // For a text of many quotes, this takes half the time of `replaceAll`, and less memory.
  return /[",\r\n]/.test(shown) ? `"${shown.split('"').join('""')}"` : shown;
}

function withoutFormulas(text: string): string {
  const safe = text.replace(formulaStart, "$1$2'");
  return lineStart.test(safe) ? `'${safe}` : safe;
}
