import { canonicalNumber, DecimalText, scaledText } from './decimal.js';
import { durationText, timeText } from './time-functions.js';
import { Duration, isList, memberValue, Timestamp, type CelObject, type CelValue } from './values.js';

interface ToJsonOptions {
  maxLength: number;
  /** Sorts the names of objects and writes numbers in canonical form, so that equal values have equal texts. */
  sorted?: boolean;
}

/** The characters that may still be written: an expression can produce more text than fits in memory. */
let room = 0;
let inOrder = false;

/**
 * Returns JSON text; undefined if it would be longer than `maxLength`. Numbers keep all digits, times are RFC 3339 in
 * UTC, durations seconds such as "1.5s".
 * @throws EvaluationError for a time that has no such text
 */
export function toJson(value: CelValue, { maxLength, sorted = false }: ToJsonOptions): string | undefined {
  room = maxLength;
  inOrder = sorted;
  const text = write(value);
  return room < 0 ? undefined : text;
}

function write(value: CelValue): string {
  if (value !== null && typeof value === 'object') {
    if (isList(value)) return writeList(value);
    if (value instanceof Timestamp) return taken(`"${timeText(value, 0)}"`);
    if (value instanceof Duration) return taken(`"${durationText(value)}"`);
    if (value instanceof DecimalText) return taken(inOrder ? canonicalNumber(value.text) : value.text);
    return writeObject(value);
  }
  return taken(typeof value === 'bigint' ? scaledText({ units: value, scale: 0 }) : JSON.stringify(value));
}

function taken(text: string): string {
  room -= text.length;
  return text;
}

function writeList(list: readonly CelValue[]): string {
  room -= 2;
  let text = '';
  for (const item of list) {
    if (--room < 0) break;
    text += `${text && ','}${write(item)}`;
  }
  return `[${text}]`;
}

function writeObject(object: CelObject): string {
  room -= 2;
  let text = '';
  const names = Object.keys(object);
  for (const name of inOrder ? names.sort() : names) {
    if ((room -= 2) < 0) break;
    text += `${text && ','}${taken(JSON.stringify(name))}:${write(memberValue(object, name))}`;
  }
  return `{${text}}`;
}
