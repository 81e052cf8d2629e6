import { limits } from '#event';
import { jsonValue, JsonScanner } from '#json';
import { endOfUnread, UnknownEndError } from '#writing';
import type { MessageFields } from './message-fields.js';
import { hexId, type EncodedRange, type IntegerType, type MessageReader } from './message-reader.js';
import { mostLevels, tooDeep, tooManyFields, unreadable } from './otlp-request-errors.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Matches null, and not the beginning of another word. */
const nullWord = /null(?![^,\]} \t\n\r])/y;
/**
 * Maximum number of characters of a body whose skipped values are validated before the first resource is read: eight
 * million numbers would block the event loop for half a second. Resources and scopes are validated when they are read.
 */
const longestValidated = 4 * limits.eventBytes;
/** Number of levels of JSON for each level of a list or map: `{"arrayValue":{"values":[…]}}`. */
const levelsOfAList = 3;
const numberForm = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Base64 or its URL-safe form, with or without padding. */
const base64Form = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;
/** The number of digits of 2^64. A number with more digits before its point is not a 64-bit integer. */
const mostDigits = 20;
/** Maximum number of characters of an integer, with its zeros and its exponent. */
const mostCharacters = 100;
const bounds: Readonly<Record<IntegerType, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  fixed32: [0n, 2n ** 32n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
};

/**
 * Reads messages in the JSON encoding of protobuf (https://protobuf.dev/programming-guides/json), with the ids of
 * traces and spans as hexadecimal text, as OTLP requires, or as Base64. Null is the default of a field. Unknown members
 * are skipped.
 */
export class JsonMessageReader implements MessageReader {
  /** The names of types surround every value. */
  readonly longer = 4;
  private readonly scanner: JsonScanner;
  private at: number;
  private fieldsLeft = 0;
  private field = 'the body';
  /** Whether the next message is the whole body. */
  private isBody = true;
  private validatesSkipped: boolean;

  constructor(private readonly body: string) {
    this.scanner = new JsonScanner(body);
    this.validatesSkipped = body.length <= longestValidated;
    this.at = this.scanner.space(body.startsWith('\ufeff') ? 1 : 0);
  }

  limitFields(most: number): void {
    this.fieldsLeft = most;
  }

  open({ start }: EncodedRange, what: string): void {
    this.at = start;
    this.field = what;
    this.validatesSkipped = true;
  }

  message<F extends string>(fields: MessageFields<F>, take: (field: F) => void): void {
    const { isBody } = this;
    this.isBody = false;
    if (this.isNull()) return;
    this.require(openBrace, 'an object');
    this.each(closeBrace, () => {
      const name = this.name();
      const known = fields.byName.get(name);
      const before = this.at;
      if (known !== undefined && !this.isNull()) take((this.field = known));
      if (this.at === before) this.skipAnyDepth();
    });
    if (isBody && this.scanner.space(this.at) < this.body.length)
      throw unreadable('text follows the JSON value');
  }

  elements(take: () => void): void {
    this.require(openBracket, 'a list');
    this.each(closeBracket, take);
  }

  skip(): EncodedRange {
    const range = this.skipValid();
    if (!range) throw tooDeep();
    return range;
  }

  skipUnread(): EncodedRange {
    const start = this.at;
    try {
      this.at = endOfUnread(this.body, start);
    } catch (error) {
      if (!(error instanceof UnknownEndError)) throw error;
      throw error.reason === 'depth' ? tooDeep() : notJson(error.at);
    }
    return { start, end: this.at };
  }

  skipAnyDepth(): EncodedRange {
    if (!this.validatesSkipped) return this.skipUnread();
    return this.skipValid() ?? this.skipUnread();
  }

  text(): string {
    const { body, at, scanner } = this;
    if (body.charCodeAt(at) !== quote) throw this.wrong('a text');
    this.at = this.string();
    if (!scanner.escaped) return body.slice(at + 1, this.at - 1);
    // Escapes can form half a surrogate pair, which UTF-8 does not have.
    return Buffer.from(jsonValue(body.slice(at, this.at)) as string).toString();
  }

  boolean(): boolean {
    const text = this.encoded(this.skip());
    if (text !== 'true' && text !== 'false') throw this.wrong('true or false');
    return text === 'true';
  }

  integer(type: IntegerType, names?: ReadonlyMap<string, bigint>): bigint {
    const { text, isQuoted } = this.scalar();
    const value = (isQuoted ? names?.get(text) : undefined) ?? exactInteger(text);
    const [least, most] = bounds[type];
    if (value === undefined || value < least || value > most) throw this.wrong(`an integer of type ${type}`);
    return value;
  }

  double(): number {
    const { text, isQuoted } = this.scalar();
    if (isQuoted && /^(?:NaN|-?Infinity)$/.test(text)) return Number(text);
    const value = numberForm.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) throw this.wrong('a double');
    return value;
  }

  base64(): string {
    const text = this.text();
    if (!base64Form.test(text)) throw this.wrong('Base64');
    return Buffer.from(text, 'base64').toString('base64');
  }

  id(bytes: number): string {
    const { field } = this;
    const text = this.text();
    const isHex = text.length === 2 * bytes && /^[\da-f]*$/i.test(text);
    if (!isHex && !base64Form.test(text)) throw this.wrong('hexadecimal or Base64');
    return hexId(Buffer.from(text, isHex ? 'hex' : 'base64'), { bytes, field });
  }

  encoded({ start, end }: EncodedRange): string {
    return this.body.slice(start, end);
  }

  /** Skips a value and returns its range; undefined if the value is nested too deep. */
  private skipValid(): EncodedRange | undefined {
    const { at: start, scanner } = this;
    scanner.reset();
    const end = scanner.value(start, -levelsOfAList * mostLevels);
    if (end >= 0) return { start, end: (this.at = end) };
    if (scanner.failure === 'depth') return undefined;
    throw notJson(scanner.failedAt);
  }

  /** Calls `take` for each member or element of the object or list whose first character was read. */
  private each(close: number, take: () => void): void {
    const { body, scanner } = this;
    this.at = scanner.space(this.at);
    for (let isFirst = true; body.charCodeAt(this.at) !== close; isFirst = false) {
      if (!isFirst) this.expect(comma);
      if (--this.fieldsLeft < 0) throw tooManyFields();
      take();
      this.at = scanner.space(this.at);
    }
    this.at++;
  }

  /** Reads the name of a member and its colon. */
  private name(): string {
    const { body, at, scanner } = this;
    if (body.charCodeAt(at) !== quote) throw notJson(at);
    const end = this.string();
    const name = scanner.escaped ? (jsonValue(body.slice(at, end)) as string) : body.slice(at + 1, end - 1);
    this.at = scanner.space(end);
    this.expect(colon);
    return name;
  }

  /** Returns the end of the string that begins here. */
  private string(): number {
    const end = this.scanner.string(this.at + 1);
    if (end < 0) throw notJson(this.scanner.failedAt);
    return end;
  }

  /** Reads a string, or the text of another value. */
  private scalar(): { text: string; isQuoted: boolean } {
    const isQuoted = this.body.charCodeAt(this.at) === quote;
    return { text: isQuoted ? this.text() : this.encoded(this.skip()), isQuoted };
  }

  private isNull(): boolean {
    nullWord.lastIndex = this.at;
    if (!nullWord.test(this.body)) return false;
    this.at = nullWord.lastIndex;
    return true;
  }

  /** Reads this character and the space after it. */
  private expect(code: number): void {
    if (this.body.charCodeAt(this.at) !== code) throw notJson(this.at);
    this.at = this.scanner.space(this.at + 1);
  }

  private require(code: number, what: string): void {
    if (this.body.charCodeAt(this.at) !== code) throw this.wrong(what);
    this.at++;
  }

  private wrong(what: string): Error {
    return unreadable(`${this.field} is not ${what}`);
  }
}

function notJson(at: number): Error {
  return unreadable(`character ${at + 1} is not valid JSON`);
}

/** Returns the integer that a decimal number is, exactly; undefined if it is not an integer of at most 20 digits. */
function exactInteger(text: string): bigint | undefined {
  if (text.length > mostCharacters) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = numberForm.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = significant.replace(/0+$/, '');
  if (digits === '') return 0n;
  const shift = Number(exponent) - fraction.length + significant.length - digits.length;
  if (shift < 0 || digits.length + shift > mostDigits) return undefined;
  return BigInt(`${sign}${digits}${'0'.repeat(shift)}`);
}
