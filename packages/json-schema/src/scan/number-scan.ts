import type { SchemaKeywordReader } from './keywords.js';
import { anyValue, type ScanningValidator } from './validating-json-scanner.js';

/** Powers of ten that are exact as floating-point numbers. */
const powersOfTen = Array.from({ length: 16 }, (_, i) => 10 ** i);
/** Number of decimal digits up to which every decimal number is an exact integer as a double. */
const mostDigits = 15;

/** Returns a scan that validates the minimum and maximum of numbers. */
export function numberScan(keywords: SchemaKeywordReader): ScanningValidator {
  const least = keywords.take<number>('minimum') ?? -Infinity;
  const most = keywords.take<number>('maximum') ?? Infinity;
  const above = keywords.take<number>('exclusiveMinimum');
  const below = keywords.take<number>('exclusiveMaximum');
  if (least === -Infinity && most === Infinity && above === undefined && below === undefined) return anyValue;
  return (scanner, start, level) => {
    const end = scanner.value(start, level);
    if (end < 0 || !scanner.fits) return end;
    const value = numberAt(scanner.text, start, end);
    // Rounding keeps the order of numbers, but it may make a number equal to its bound.
    const isRounded = end - start > mostDigits;
    const aboveBounds =
      (isRounded ? value > least : value >= least) && (above === undefined || value > above);
    const belowBounds = (isRounded ? value < most : value <= most) && (below === undefined || value < below);
    if (!aboveBounds || !belowBounds) scanner.fits = false;
    return end;
  };
}

/**
 * Returns a scan that accepts integers written without a point or an exponent. The scan leaves to the validator whether
 * 1.0 or 1e2 is an integer.
 */
export function integerScan(scan: ScanningValidator): ScanningValidator {
  return (scanner, start, level) => {
    const end = scan(scanner, start, level);
    for (let i = start + 1; i < end; i++) {
      const code = scanner.text.charCodeAt(i);
      if (code < 0x30 || code > 0x39) scanner.fits = false;
    }
    return end;
  };
}

/**
 * Returns the same number as `JSON.parse`. An integer divided by a power of ten, both exact, is rounded only once, as
 * in `JSON.parse`.
 */
function numberAt(text: string, start: number, end: number): number {
  let digits = 0;
  let fraction = end;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) digits = digits * 10 + (code - 0x30);
    else if (code === 0x2e) fraction = i + 1;
    else return Number(text.slice(start, end));
  }
  return end - start > mostDigits ? Number(text.slice(start, end)) : digits / powersOfTen[end - fraction]!;
}
