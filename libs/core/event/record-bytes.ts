import { parseFormattedTime, type EpochMicros } from '#json';

const zero = 0x30;
const dash = 0x2d;
const colon = 0x3a;

/** The two hexadecimal digits of each byte value, by the value. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns the canonical text of a UUID, in lower case, from four 32-bit words. */
export function uuidText(words: Uint32Array): string {
  const [a, b, c, d] = words as unknown as [number, number, number, number];
  return `${high(a)}${low(a)}-${high(b)}-${low(b)}-${high(c)}-${low(c)}${high(d)}${low(d)}`;
}

function high(word: number): string {
  return digits[word >>> 24]! + digits[(word >>> 16) & 0xff]!;
}

function low(word: number): string {
  return digits[(word >>> 8) & 0xff]! + digits[word & 0xff]!;
}

/** Values of the lower-case hexadecimal digits by character code; -1 for every other byte. */
const hex = new Int32Array(256).fill(-1);
for (let value = 0; value < 16; value++) hex[value.toString(16).charCodeAt(0)] = value;

/** Start of each group of four digits in `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`. */
const groups = [0, 4, 9, 14, 19, 24, 28, 32] as const;

/** Length of a UUID's text, in bytes. */
export const uuidLength = 36;

/**
 * Reads a lower-case UUID at the index `at` of the buffer into four 32-bit words. Returns false if no UUID is there.
 */
export function readUuid(bytes: Buffer, at: number, words: Uint32Array): boolean {
  let invalid = bytes.length < at + uuidLength ? -1 : 0;
  for (let word = 0; word < 4; word++) {
    const high = fourDigits(bytes, at + groups[word * 2]!);
    const low = fourDigits(bytes, at + groups[word * 2 + 1]!);
    invalid |= high | low;
    words[word] = (high << 16) | low;
  }
  const dashes =
    bytes[at + 8] === dash && bytes[at + 13] === dash && bytes[at + 18] === dash && bytes[at + 23] === dash;
  return dashes && invalid >= 0;
}

/** Reads the text of a UUID, in either case, as four 32-bit words. Returns false if the text is not a UUID. */
export function readUuidText(text: string, words: Uint32Array): boolean {
  return text.length === uuidLength && readUuid(Buffer.from(text.toLowerCase()), 0, words);
}

/** Returns the value of four hexadecimal digits; negative if one of them is invalid. */
function fourDigits(bytes: Buffer, at: number): number {
  return (
    (hex[bytes[at]!]! << 12) |
    (hex[bytes[at + 1]!]! << 8) |
    (hex[bytes[at + 2]!]! << 4) |
    hex[bytes[at + 3]!]!
  );
}

/** Number of bytes of a time in the form that `formatTime` writes. */
const timeLength = 27;

/** Cache of the date that was read last and of its midnight in microseconds, because dates repeat. */
let lastDate = -1;
let lastMidnight: EpochMicros = 0;

/** Parses the RFC 3339 time in the bytes from `start` to `end` (exclusive) like `parseFormattedTime`; else NaN. */
export function readTime(bytes: Buffer, start: number, end: number): EpochMicros {
  const fast = end - start === timeLength ? readFormattedTime(bytes, start) : NaN;
  if (fast === fast) return fast;
  return parseFormattedTime(bytes.toString('latin1', start, end)) ?? NaN;
}

/** Reads a time in the form that `formatTime` writes; else NaN. `parseFormattedTime` validates each new date. */
function readFormattedTime(bytes: Buffer, at: number): EpochMicros {
  const date = twoDigits(bytes, at) * 1_000_000 + twoDigits(bytes, at + 2) * 10_000;
  const day = date + twoDigits(bytes, at + 5) * 100 + twoDigits(bytes, at + 8);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  const second = twoDigits(bytes, at + 17);
  const fraction =
    twoDigits(bytes, at + 20) * 10_000 + twoDigits(bytes, at + 22) * 100 + twoDigits(bytes, at + 24);
  if (!hasSeparators(bytes, at) || !(hour <= 23 && minute <= 59 && second <= 59) || fraction !== fraction)
    return NaN;
  if (day !== lastDate) {
    const midnight = parseFormattedTime(`${bytes.toString('latin1', at, at + 10)}T00:00:00.000000Z`);
    if (midnight === undefined) return NaN;
    lastDate = day;
    lastMidnight = midnight;
  }
  return lastMidnight + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction;
}

function hasSeparators(bytes: Buffer, at: number): boolean {
  return (
    bytes[at + 4] === dash &&
    bytes[at + 7] === dash &&
    bytes[at + 10] === 0x54 &&
    bytes[at + 13] === colon &&
    bytes[at + 16] === colon &&
    bytes[at + 19] === 0x2e &&
    bytes[at + 26] === 0x5a
  );
}

/** Returns the value of two digits; NaN if one of them is not a digit. */
function twoDigits(bytes: Buffer, at: number): number {
  const high = bytes[at]! - zero;
  const low = bytes[at + 1]! - zero;
  return (high | low | (9 - high) | (9 - low)) < 0 ? NaN : high * 10 + low;
}
