/**
 * A JSON number as its original text, because no double has it as its shortest text, or because it is extremely large
 * or small. It is parsed only when it is computed with.
 */
export class DecimalText {
  constructor(readonly text: string) {}
}

/**
 * A number of CEL expressions, whose arithmetic is decimal. A `number` stands for the decimal of its shortest text, so
 * 0.1 is exactly one tenth. Whole numbers outside the safe range of doubles are bigints; all others are `DecimalText`s.
 */
export type CelNumber = number | bigint | DecimalText;

/** An exact decimal number, with the value `units` / 10 ** `scale`. */
export interface ScaledDecimal {
  readonly units: bigint;
  readonly scale: number;
}

/** Maximum digits of a number before its point (for more, the nearest double is infinite), and after it. */
const maxWholeDigits = 308;
const maxPlaces = 400;

/** Maximum number of significant digits in the shortest text of a double. */
const doubleDigits = 17;

/** The limits of a number's digits, as text for messages. */
export const numberBounds = `${maxWholeDigits} digits before and ${maxPlaces} after its point`;

const form = /^([+-]?)(?=\.?\d)0*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Returns the exact decimal of a text, with the smallest scale; undefined for other text, or too many digits. */
export function readDecimal(text: string): ScaledDecimal | undefined {
  const found = significantDigits(text);
  if (!found) return undefined;
  const { digits, count, scale } = found;
  if (count === 0) return { units: 0n, scale: 0 };
  if (scale > maxPlaces || count - scale > maxWholeDigits) return undefined;
  const units = BigInt(digits);
  return scale >= 0 ? { units, scale } : { units: units * powerOfTen(-scale), scale: 0 };
}

/** Returns the text that all texts of a number share: `17.0` and `1.7e1` become `17`. */
export function canonicalNumber(text: string): string {
  if (/^(?:0|-?[1-9]\d{0,14})$/.test(text)) return text;
  const exact = readDecimal(text);
  const value = exact && numeric(exact);
  if (typeof value === 'number') return String(value);
  if (exact) return scaledText(exact);
  const { digits, scale } = significantDigits(text) ?? { digits: '', scale: NaN };
  return Number.isSafeInteger(scale) ? `${digits}e${scale < 0 ? '+' : ''}${-scale}` : text;
}

/** Returns the significant digits of a number's text with their sign, count and scale; undefined for other text. */
function significantDigits(text: string): { digits: string; count: number; scale: number } | undefined {
  const found = form.exec(text);
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = found;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutZeros(digits);
  const scale = fraction.length - Number(exponent) - (digits.length - significant.length);
  return { digits: `${sign}${significant}`, count: significant.length, scale };
}

/** Returns the exact decimal of a number, with the smallest scale; undefined if it exceeds the limits of digits. */
export function scaledDecimal(value: CelNumber): ScaledDecimal | undefined {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  if (typeof value !== 'number') return readDecimal(value.text);
  return Number.isSafeInteger(value) ? { units: BigInt(value), scale: 0 } : readDecimal(String(value));
}

/** Returns an exact decimal as a number, a bigint or a DecimalText, in this order; undefined beyond the limits. */
export function numeric(value: ScaledDecimal): CelNumber | undefined {
  const { units, scale } = smallest(value);
  if (scale === 0) {
    const small = Number(units);
    if (Number.isSafeInteger(small)) return small;
    return digitsOf(units) <= maxWholeDigits ? units : undefined;
  }
  const digits = digitsOf(units);
  if (scale > maxPlaces || digits - scale > maxWholeDigits) return undefined;
  const text = scaledText({ units, scale });
  return (digits <= doubleDigits ? doubleOf(text, { units, scale }) : undefined) ?? new DecimalText(text);
}

/** Returns the double whose shortest text is this exact decimal; undefined if there is no such double. */
function doubleOf(text: string, { units, scale }: ScaledDecimal): number | undefined {
  const near = Number(text);
  const exact = readDecimal(String(near));
  return exact?.units === units && exact.scale === scale ? near : undefined;
}

/** Returns the text of a JSON number, with an exponent if it would otherwise have more than 20 zeros. */
export function scaledText(value: ScaledDecimal): string {
  const { units, scale } = smallest(value);
  const digits = units.toString();
  if (scale === 0) {
    const significant = withoutZeros(digits);
    const zeros = digits.length - significant.length;
    return zeros > 20 ? `${significant}e+${zeros}` : digits;
  }
  const sign = units < 0n ? '-' : '';
  const plain = sign ? digits.slice(1) : digits;
  if (scale - plain.length > 20) return `${digits}e-${scale}`;
  const padded = plain.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

export function compareScaled(a: ScaledDecimal, b: ScaledDecimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = unitsAt(a, scale) - unitsAt(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Returns a decimal in units of 10 ** -`scale`, which is at least the scale of the decimal. */
export function unitsAt(value: ScaledDecimal, scale: number): bigint {
  return scale === value.scale ? value.units : value.units * powerOfTen(scale - value.scale);
}

function digitsOf(units: bigint): number {
  return units.toString().length - (units < 0n ? 1 : 0);
}

const powers: bigint[] = [];

export function powerOfTen(exponent: number): bigint {
  return (powers[exponent] ??= 10n ** BigInt(exponent));
}

function smallest({ units, scale }: ScaledDecimal): ScaledDecimal {
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale--;
  }
  return { units, scale };
}

/** Returns the digits without trailing zeros. The function uses a loop because /0+$/ takes quadratic time. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  return digits.slice(0, end);
}

const quotientDigits = 34;

/**
 * Returns `dividend` / `divisor`: exact if the quotient has at most 34 significant digits, otherwise the nearest
 * double, which may be infinite. `divisor` is not zero.
 */
export function quotient(dividend: ScaledDecimal, divisor: ScaledDecimal): CelNumber {
  const above = dividend.units * powerOfTen(divisor.scale);
  const below = divisor.units * powerOfTen(dividend.scale);
  const scale = Math.max(quotientDigits + digitsOf(below) - digitsOf(above), 0);
  const shifted = above * powerOfTen(scale);
  const units = shifted / below;
  const exact = units * below === shifted ? numeric({ units, scale }) : undefined;
  return exact ?? wholeExactly(nearestQuotient(units, scale));
}

/**
 * Returns the nearest double of a cut-off quotient. The appended digit stands for the cut-off rest: without it, a value
 * slightly above the middle of two doubles would be rounded as if it were exactly in the middle.
 */
export function nearestQuotient(units: bigint, scale: number): number {
  return Number(`${units}1e-${scale + 1}`);
}

function wholeExactly(value: number): CelNumber {
  const read = readDecimal(String(value));
  return (read && numeric(read)) ?? value;
}
