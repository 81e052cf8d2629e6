import type { StoredEvent } from '#contracts';

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

/**
 * One event as a line of RFC 4180. null is an empty field. CSV is for spreadsheets, and a spreadsheet runs a text that
 * starts with `=`, `+`, `-`, `@`, a tab or a line break as a formula: such a text gets a leading apostrophe. Who needs
 * the exact text takes NDJSON.
 */
export function csvLine(event: StoredEvent): string {
  return `${csvColumns.map((column) => csvField(event[column])).join(',')}\r\n`;
}

function csvField(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
