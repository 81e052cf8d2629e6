import { limits } from './limits.js';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const dot = 0x2e;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The characters that may follow a backslash in an escape, except `u`. */
const escapes = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

/**
 * Validates JSON in UTF-8 within its buffer, without creating text or values. The scanner accepts what `JSON.parse`
 * accepts, up to `limits.jsonDepth` levels of nesting. The scanner does not validate the UTF-8: the caller must
 * validate the UTF-8 if `high` is at least 0x80. Every method takes the index where an element begins, and returns the
 * index after its end, or -1 if it is invalid.
 */
export class JsonByteScanner {
  /** Bitwise OR of all bytes of the scanned strings: at least 0x80 if one of the bytes is not ASCII. */
  high = 0;

  /** Scans the JSON object that begins at `start`; it is also invalid if it is nested too deeply. */
  object(bytes: Buffer, start: number, level = 1): number {
    if (bytes[start] !== openBrace || level > limits.jsonDepth) return -1;
    let i = afterSpace(bytes, start + 1);
    if (bytes[i] === closeBrace) return i + 1;
    for (;;) {
      if (bytes[i] !== quote) return -1;
      i = this.string(bytes, i + 1);
      if (i < 0) return -1;
      i = afterSpace(bytes, i);
      if (bytes[i] !== colon) return -1;
      i = this.value(bytes, afterSpace(bytes, i + 1), level);
      if (i < 0) return -1;
      i = afterSpace(bytes, i);
      const code = bytes[i];
      if (code === closeBrace) return i + 1;
      if (code !== comma) return -1;
      i = afterSpace(bytes, i + 1);
    }
  }

  /** Scans a JSON string from the byte after its opening quote. */
  string(bytes: Buffer, start: number): number {
    let high = 0;
    for (let i = start; ; i++) {
      const code = bytes[i]!;
      high |= code;
      if (code === quote) {
        this.high |= high;
        return i + 1;
      }
      if (code === backslash) {
        i = endOfEscape(bytes, i + 1);
        if (i < 0) return -1;
        // Past the end of the buffer `code` is undefined, which is not greater than or equal to 0x20 either.
      } else if (!(code >= 0x20)) return -1;
    }
  }

  private value(bytes: Buffer, start: number, level: number): number {
    const code = bytes[start]!;
    if (code === quote) return this.string(bytes, start + 1);
    if (code === openBrace) return this.object(bytes, start, level + 1);
    if (code === openBracket) return this.array(bytes, start + 1, level + 1);
    if (code === minus || isDigit(code)) return afterNumber(bytes, start);
    return afterWord(bytes, start);
  }

  private array(bytes: Buffer, start: number, level: number): number {
    if (level > limits.jsonDepth) return -1;
    let i = afterSpace(bytes, start);
    if (bytes[i] === closeBracket) return i + 1;
    for (;;) {
      i = this.value(bytes, i, level);
      if (i < 0) return -1;
      i = afterSpace(bytes, i);
      const code = bytes[i];
      if (code === closeBracket) return i + 1;
      if (code !== comma) return -1;
      i = afterSpace(bytes, i + 1);
    }
  }
}

function afterSpace(bytes: Buffer, start: number): number {
  let i = start;
  for (let code = bytes[i]!; code <= 0x20; code = bytes[++i]!)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return i;
  return i;
}

/** Returns the position after the JSON number that begins at `start` (RFC 8259, section 6); -1 if none begins there. */
function afterNumber(bytes: Buffer, start: number): number {
  let i = bytes[start] === minus ? start + 1 : start;
  const first = bytes[i]!;
  if (!isDigit(first)) return -1;
  i = first === 0x30 ? i + 1 : afterDigits(bytes, i);
  if (bytes[i] === dot) {
    if (!isDigit(bytes[i + 1]!)) return -1;
    i = afterDigits(bytes, i + 1);
  }
  if ((bytes[i]! | 0x20) !== 0x65) return i;
  const sign = bytes[i + 1]!;
  i += sign === 0x2b || sign === minus ? 2 : 1;
  return isDigit(bytes[i]!) ? afterDigits(bytes, i) : -1;
}

function afterDigits(bytes: Buffer, start: number): number {
  let i = start;
  while (isDigit(bytes[i]!)) i++;
  return i;
}

function afterWord(bytes: Buffer, start: number): number {
  const word = bytes.toString('latin1', start, start + 5);
  if (word.startsWith('true') || word.startsWith('null')) return start + 4;
  return word === 'false' ? start + 5 : -1;
}

/** Returns the index of the last byte of an escape, or -1 if it is invalid; `at` is the byte after its backslash. */
function endOfEscape(bytes: Buffer, at: number): number {
  const code = bytes[at]!;
  if (code !== 0x75) return escapes.has(code) ? at : -1;
  for (let i = at + 1; i <= at + 4; i++) if (!isHexDigit(bytes[i]!)) return -1;
  return at + 4;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
