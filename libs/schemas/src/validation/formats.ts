import { fullFormats, type FormatName } from 'ajv-formats/dist/formats.js';

type Check = (text: string) => boolean;

/** Longer than anything that says a date, a time or both. */
const mostOfATime = 64;

/**
 * The formats that are checked. Each takes time in proportion to the text's length; those of ajv-formats that do not,
 * or that check nothing, are left out.
 */
export const formats: Readonly<Record<string, Check>> = {
  ...Object.fromEntries((['date-time', 'date', 'time', 'duration'] as const).map(shortOnes)),
  ...Object.fromEntries(
    (
      [
        'email',
        'hostname',
        'ipv4',
        'ipv6',
        'uri',
        'uri-reference',
        'uri-template',
        'uuid',
        'json-pointer',
        'relative-json-pointer',
      ] as const
    ).map((name) => [name, checkOf(name)]),
  ),
};

function shortOnes(name: FormatName): [string, Check] {
  const check = checkOf(name);
  return [name, (text) => text.length <= mostOfATime && check(text)];
}

function checkOf(name: FormatName): Check {
  const format = fullFormats[name];
  const check = typeof format === 'object' && 'validate' in format ? format.validate : format;
  if (check instanceof RegExp) return (text) => check.test(text);
  if (typeof check === 'function') return check as Check;
  throw new Error(`ajv-formats has no check for ${name}`);
}
