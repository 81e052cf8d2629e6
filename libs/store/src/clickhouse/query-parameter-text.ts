import { TupleParam } from '@clickhouse/client';

/**
 * Returns the text of a query parameter (`param_…`) in the form that ClickHouse's HTTP interface reads: a value as in the
 * format TabSeparated, with escapes for tab, line breaks, quote and backslash; in an array, a tuple or a map, strings
 * are in quotes.
 * @throws TypeError for a value of another type, such as a Date
 */
export function queryParameterText(value: unknown): string {
  return typeof value === 'string' ? escaped(value) : textOf(value, '\\N');
}

function elementText(value: unknown): string {
  return typeof value === 'string' ? `'${escaped(value)}'` : textOf(value, 'NULL');
}

function textOf(value: unknown, none: string): string {
  if (value === null || value === undefined) return none;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(elementText).join(',')}]`;
  if (value instanceof TupleParam) return `(${value.values.map(elementText).join(',')})`;
  if (value instanceof Map) return mapText([...value]);
  if (isPlainObject(value)) return mapText(Object.entries(value));
  throw new TypeError(`A query parameter cannot be a ${typeof value}`);
}

function mapText(entries: readonly (readonly [unknown, unknown])[]): string {
  return `{${entries.map(([key, value]) => `${elementText(key)}:${elementText(value)}`).join(',')}}`;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+inf' : '-inf';
}

const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'", '\\': '\\\\' };

function escaped(text: string): string {
  return text.replace(/[\t\n\r'\\]/g, (character) => escapes[character] ?? character);
}
