import { fullFormats, type FormatName } from 'ajv-formats/dist/formats.js';

type Check = (text: string) => boolean;

/** Longer than anything that says a date, a time or both. */
const mostOfATime = 64;

/** Most of what is written: no leap second, no day that some months lack. */
const plainTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,30})?Z$/;

/** Without the `urn:uuid:` that ajv-formats allows before it. */
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * The formats that are checked. Each takes time in proportion to the text's length; those of ajv-formats that do not,
 * or that check nothing, are left out.
 */
export const formats: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['date-time', either((text) => plainTime.test(text), short(checkOf('date-time')))],
  ['date', short(checkOf('date'))],
  ['time', short(checkOf('time'))],
  ['duration', short(checkOf('duration'))],
  ['uuid', (text) => uuid.test(text)],
  ...longOnes('email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uri-template'),
  ...longOnes('json-pointer', 'relative-json-pointer'),
]);

function short(check: Check): Check {
  return (text) => text.length <= mostOfATime && check(text);
}

function either(quick: Check, complete: Check): Check {
  return (text) => quick(text) || complete(text);
}

function longOnes(...names: FormatName[]): [string, Check][] {
  return names.map((name) => [name, checkOf(name)]);
}

function checkOf(name: FormatName): Check {
  const format = fullFormats[name];
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format;
  if (check instanceof RegExp) return (text) => check.test(text);
  if (typeof check === 'function') return check as Check;
  throw new Error(`ajv-formats has no check for ${name}`);
}
