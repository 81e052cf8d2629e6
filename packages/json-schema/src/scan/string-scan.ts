import { formats } from '../values/formats.js';
import { compilePattern } from '../values/pattern.js';
import { UnsupportedKeywordError, type SchemaKeywordReader } from './keywords.js';
import type { ScanningValidator } from './validating-json-scanner.js';

/**
 * Returns a scan that validates the length, pattern and format of strings. Strings with escapes are left to the
 * validator.
 */
export function stringScan(keywords: SchemaKeywordReader): ScanningValidator {
  const least = keywords.take<number>('minLength') ?? 0;
  const most = keywords.take<number>('maxLength') ?? Infinity;
  const matches = textTest(keywords.take('pattern'), keywords.take('format'));
  return (scanner, start) => {
    const end = scanner.string(start + 1);
    if (end < 0 || !scanner.fits) return end;
    const length = end - start - 2;
    // A schema counts code points: a string can have half as many code points as UTF-16 code units.
    if (scanner.escaped || length > most || length < least) scanner.fits = false;
    else if (length < 2 * least && hasSurrogates(scanner.text, start + 1, end - 1)) scanner.fits = false;
    else if (matches && !matches(scanner.text.slice(start + 1, end - 1))) scanner.fits = false;
    return end;
  };
}

/** Returns a scan of strings that must match `scan` and be among the listed values of `enum` or `const`. */
export function listedStringScan(listed: ReadonlySet<unknown>, scan: ScanningValidator): ScanningValidator {
  return (scanner, start, level) => {
    const end = scan(scanner, start, level);
    if (scanner.fits && !listed.has(scanner.text.slice(start + 1, end - 1))) scanner.fits = false;
    return end;
  };
}

function hasSurrogates(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) >= 0xd800) return true;
  return false;
}

/**
 * Returns a test for pattern and format. Patterns that need RE2 are left to the validator: they may take microseconds
 * for each character, and only the validator bounds their work and yields to the event loop.
 * @throws UnsupportedKeywordError for such patterns and unknown formats
 */
function textTest(
  pattern: string | undefined,
  format: string | undefined,
): ((text: string) => boolean) | undefined {
  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (compiled && compiled.instructions > 0) throw new UnsupportedKeywordError('pattern');
  if (format === undefined) return compiled && ((text) => compiled.test(text));
  const check = formats.get(format);
  if (!check) throw new UnsupportedKeywordError(format);
  return compiled ? (text) => compiled.test(text) && check(text) : check;
}
