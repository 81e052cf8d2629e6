import { maxJsonDepth } from './json-depth.js';

const lineFeed = 0x0a;
const space = 0x20;
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

/** Maximum number of names of one object that are compared; an object with more names sets `uncertain`. */
const comparedNames = 16;

/**
 * Start and end of each member name in the open objects. All scanners share this array, because a scan is synchronous;
 * a new one for each request would cost more than scanning a small event.
 */
const names = new Int32Array(2 * comparedNames * (maxJsonDepth + 1));

/** Why a `JsonScanner` rejected a text: it is not JSON (RFC 8259), or it nests too deeply. */
type ScanFailure = 'syntax' | 'depth';

/**
 * Validates JSON text without creating values: `JSON.parse` would take most of the time of a write. Accepts exactly
 * what `JSON.parse` accepts, up to `maxJsonDepth` levels, and detects members of one object with the same name. Every
 * method takes the index where an element begins, and returns the index after its end, or -1 after a failure.
 */
export class JsonScanner {
  /** Why the last scan returned -1, and the index where it failed. */
  failure: ScanFailure = 'syntax';
  failedAt = 0;
  /** True if one of the scanned objects has two members with the same name. */
  duplicate = false;
  /** True if an object has more than `comparedNames` names, or one with escapes, so that only parsing is certain. */
  uncertain = false;
  /** Number of members of all scanned objects. If `JSON.parse` yields fewer members, a name is duplicate. */
  members = 0;
  escaped = false;

  /** Cache of the last parsed `metadata`: its JSON text and its value. */
  lastMetadata: { text: string; value: unknown } = { text: 'null', value: null };

  private top = 0;
  /** The code of a line feed if it is white space, else that of a space. */
  private readonly newline: number;

  /** With `lines` (for NDJSON), a line feed is not white space: no scan continues past the end of its line. */
  constructor(
    readonly text: string,
    { lines = false } = {},
  ) {
    this.newline = lines ? space : lineFeed;
  }

  /** Clears what the scan of the previous event has found; callers call it before each event. */
  reset(): void {
    this.duplicate = false;
    this.uncertain = false;
    this.members = 0;
    this.top = 0;
  }

  /** Returns the index of the first character at or after `start` that is not white space. */
  space(start: number): number {
    const { text, newline } = this;
    let i = start;
    for (;;) {
      const code = text.charCodeAt(i);
      if (code !== space && code !== newline && code !== 0x0d && code !== 0x09) return i;
      i++;
    }
  }

  /** Scans any JSON value; `level` is the number of objects and arrays that enclose it. */
  value(start: number, level: number): number {
    const code = this.text.charCodeAt(start);
    if (code === quote) return this.string(start + 1);
    if (code === openBrace) return this.object(start + 1, level + 1);
    if (code === openBracket) return this.array(start + 1, level + 1);
    if (code === minus || isDigit(code)) return this.number(start);
    return this.word(start);
  }

  /** Scans a JSON string from the character after its opening quote. */
  string(start: number): number {
    const { text } = this;
    this.escaped = false;
    for (let i = start; ; i++) {
      const code = text.charCodeAt(i);
      if (code === quote) return i + 1;
      if (code === backslash) {
        this.escaped = true;
        i = this.escape(i + 1);
        if (i < 0) return -1;
      } else if (!(code >= 0x20)) return this.fail('syntax', i);
    }
  }

  /** Scans a name after its opening quote, and compares it with the others of its object, from `base` in `names`. */
  name(start: number, base: number): number {
    const end = this.string(start);
    if (end < 0) return -1;
    this.members++;
    if (this.escaped || this.top - base >= 2 * comparedNames) {
      this.uncertain = true;
      return end;
    }
    if (this.isKnown(start, end - 1, base)) this.duplicate = true;
    names[this.top++] = start;
    names[this.top++] = end - 1;
    return end;
  }

  /** Begins an object. Returns the index in `names` at which its member names begin. */
  openObject(): number {
    return this.top;
  }

  closeObject(base: number): void {
    this.top = base;
  }

  fail(failure: ScanFailure, at: number): -1 {
    this.failure = failure;
    this.failedAt = at;
    return -1;
  }

  private object(start: number, level: number): number {
    if (level > maxJsonDepth) return this.fail('depth', start);
    const { text } = this;
    const base = this.top;
    let i = this.space(start);
    if (text.charCodeAt(i) === closeBrace) return i + 1;
    for (;;) {
      if (text.charCodeAt(i) !== quote) return this.fail('syntax', i);
      i = this.name(i + 1, base);
      if (i < 0) return -1;
      i = this.space(i);
      if (text.charCodeAt(i) !== colon) return this.fail('syntax', i);
      i = this.value(this.space(i + 1), level);
      if (i < 0) return -1;
      i = this.space(i);
      const code = text.charCodeAt(i);
      if (code === closeBrace) break;
      if (code !== comma) return this.fail('syntax', i);
      i = this.space(i + 1);
    }
    this.top = base;
    return i + 1;
  }

  private array(start: number, level: number): number {
    if (level > maxJsonDepth) return this.fail('depth', start);
    const { text } = this;
    let i = this.space(start);
    if (text.charCodeAt(i) === closeBracket) return i + 1;
    for (;;) {
      i = this.value(i, level);
      if (i < 0) return -1;
      i = this.space(i);
      const code = text.charCodeAt(i);
      if (code === closeBracket) return i + 1;
      if (code !== comma) return this.fail('syntax', i);
      i = this.space(i + 1);
    }
  }

  /** Scans a number: `-? (0 | [1-9] digits) (. digits+)? ([eE] [+-]? digits+)?`. */
  private number(start: number): number {
    const { text } = this;
    let i = text.charCodeAt(start) === minus ? start + 1 : start;
    const first = text.charCodeAt(i);
    if (!isDigit(first)) return this.fail('syntax', i);
    i = first === 0x30 ? i + 1 : this.digits(i);
    if (text.charCodeAt(i) === dot) {
      if (!isDigit(text.charCodeAt(i + 1))) return this.fail('syntax', i + 1);
      i = this.digits(i + 1);
    }
    if ((text.charCodeAt(i) | 0x20) !== 0x65) return i;
    const sign = text.charCodeAt(i + 1);
    i += sign === 0x2b || sign === minus ? 2 : 1;
    return isDigit(text.charCodeAt(i)) ? this.digits(i) : this.fail('syntax', i);
  }

  private digits(start: number): number {
    let i = start;
    while (isDigit(this.text.charCodeAt(i))) i++;
    return i;
  }

  private word(start: number): number {
    const { text } = this;
    if (text.startsWith('true', start) || text.startsWith('null', start)) return start + 4;
    return text.startsWith('false', start) ? start + 5 : this.fail('syntax', start);
  }

  /** Returns the index of the last character of an escape, or -1; `at` is the character after its backslash. */
  private escape(at: number): number {
    const { text } = this;
    const code = text.charCodeAt(at);
    if (code !== 0x75) return '"\\/bfnrt'.includes(text.charAt(at) || ' ') ? at : this.fail('syntax', at);
    for (let i = at + 1; i <= at + 4; i++) if (!isHexDigit(text.charCodeAt(i))) return this.fail('syntax', i);
    return at + 4;
  }

  private isKnown(start: number, end: number, base: number): boolean {
    for (let k = base; k < this.top; k += 2) {
      const other = names[k]!;
      if (names[k + 1]! - other === end - start && this.same(start, end, other)) return true;
    }
    return false;
  }

  private same(start: number, end: number, other: number): boolean {
    const { text } = this;
    for (let i = start, k = other; i < end; i++, k++)
      if (text.charCodeAt(i) !== text.charCodeAt(k)) return false;
    return true;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
