import { isJsonObject } from '#event';
import { doubleText, objectText, type OtlpAttribute } from './log-record.js';
import { mostLevels, tooDeep, unreadable } from './otlp-request-errors.js';

/**
 * Converts an OTLP AnyValue, such as `{"stringValue": "…"}`, to JSON text. An unknown kind of value becomes null, as
 * the protocol requires of older readers.
 */
export function jsonValueText(value: unknown, level: number): string {
  if (level > mostLevels) throw tooDeep();
  const any = jsonObject(value);
  if (any.stringValue != null) return JSON.stringify(jsonText(any.stringValue, 'stringValue'));
  if (any.boolValue != null) return booleanText(any.boolValue);
  if (any.intValue != null) return String(jsonInteger(any.intValue, 'intValue'));
  if (any.doubleValue != null) return doubleText(jsonDouble(any.doubleValue));
  if (any.arrayValue != null) return listText(jsonObject(any.arrayValue).values, level);
  if (any.kvlistValue != null)
    return objectText(jsonAttributes(jsonObject(any.kvlistValue).values, level + 1));
  if (any.bytesValue != null) return JSON.stringify(jsonText(any.bytesValue, 'bytesValue'));
  return 'null';
}

/**
 * Parses OTLP attributes in the JSON encoding, a list of `{"key": "…", "value": {…}}`. Returns their names with their
 * values as JSON text.
 */
export function jsonAttributes(list: unknown, level = 0): OtlpAttribute[] {
  return listOf(list).map((pair) => {
    const { key, value } = jsonObject(pair);
    return [jsonText(key, 'key'), jsonValueText(value, level)];
  });
}

/**
 * Returns a parsed JSON value that must be an object; an empty object for null. @throws ProblemError when the value is
 * neither an object nor null
 */
export function jsonObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value == null) return {};
  if (isJsonObject(value)) return value;
  throw unreadable('a value is not an object');
}

export function jsonText(value: unknown, name: string): string {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  throw unreadable(`${name} is not a text`);
}

/**
 * Parses an integer of the OTLP JSON encoding: a text of decimal digits, or a number up to 2^53. Returns 0 if the value
 * is null.
 */
export function jsonInteger(value: unknown, name: string): bigint {
  if (value == null) return 0n;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw unreadable(`${name} is not an integer; integers above 2^53 are texts`);
}

function booleanText(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  throw unreadable('boolValue is not true or false');
}

function jsonDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  if (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  throw unreadable('doubleValue is not a number');
}

function listText(list: unknown, level: number): string {
  return `[${listOf(list)
    .map((value) => jsonValueText(value, level + 1))
    .join(',')}]`;
}

function listOf(value: unknown): readonly unknown[] {
  if (value == null) return [];
  if (Array.isArray(value)) return value as unknown[];
  throw unreadable('a value is not a list');
}
