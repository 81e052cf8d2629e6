import { limits } from '#event';
import { ProblemError } from '#api';
import { ValidatingJsonScanner } from '#json-schema/scan';
import { TimeSlice } from '#async';
import { failure, nextValue, secondOnLine, syntaxError, type EventRejection, endOfDeepValue } from '#writing';

const lineFeed = 0x0a;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;

/** Scans and receives the JSON values of a request body, one after the other. */
export interface ValueHandler {
  /**
   * Scans the JSON value at `start`. Returns the index after it, or -1 if it is not valid JSON; the scanner then has
   * the details.
   */
  scan(scanner: ValidatingJsonScanner, start: number): number;
  /** Takes the valid value from `start` to `end`, which was scanned last. */
  take(scanner: ValidatingJsonScanner, start: number, end: number): void;
  /** Takes the rejection of the text from `start` to `end`, which is not a valid value. */
  refuse(why: EventRejection, start: number, end: number): void;
}

/** The text of a request body with JSON values, and whether it is newline-delimited. */
interface ValuesText {
  text: string;
  /**
   * Whether the body has one value on each line. If false, its first line decides: the body is lines if that line is
   * one value and not a list.
   */
  isLines: boolean;
}

/**
 * Reads the values of a body: one on each line, or a sequence with or without space between them. A list counts as its
 * elements. Invalid JSON is rejected up to the end of its line, or, in a body without lines, up to the end of the body. A
 * value that is nested too deep is rejected alone.
 * The reader yields to the event loop between values.
 * @throws ProblemError `invalid_request` when there are no values or too many
 */
export async function readValues({ text, isLines }: ValuesText, taker: ValueHandler): Promise<void> {
  const walk = isLines || endsWithItsLine(text) ? lines(text, taker) : sequence(text, taker);
  const turn = new TimeSlice();
  let count = 0;
  for (const size of walk) {
    if (++count > limits.rawValues) throw wrongCount();
    if (turn.over(size)) await turn.end();
  }
  if (count === 0) throw wrongCount();
}

/**
 * Reads the elements of a body that is one JSON array; the array may be empty.
 * @throws ProblemError `invalid_request` when there are too many, or when the body is not one list
 */
export async function readList(text: string, taker: ValueHandler): Promise<void> {
  const scanner = new ValidatingJsonScanner(text);
  const start = scanner.space(0);
  if (text.charCodeAt(start) !== openBracket) throw notAList();
  const turn = new TimeSlice();
  const walk = list(scanner, start, taker);
  let count = 0;
  for (let next = walk.next(); ; next = walk.next()) {
    if (next.done) return requireEnd(scanner, next.value);
    if (++count > limits.rawValues) throw wrongCount();
    if (turn.over(next.value)) await turn.end();
  }
}

/**
 * Reads the single JSON value of a body.
 * @throws ProblemError `invalid_json` when the value is not JSON or other text follows it
 */
export function readValue(text: string, taker: ValueHandler): void {
  const scanner = new ValidatingJsonScanner(text);
  const start = scanner.space(0);
  const end = taker.scan(scanner, start);
  if (end < 0) throw failure(scanner).toProblem();
  requireEnd(scanner, end);
  taker.take(scanner, start, end);
}

function requireEnd(scanner: ValidatingJsonScanner, end: number): void {
  const rest = scanner.space(end);
  if (rest < scanner.text.length) throw syntaxError(rest).toProblem();
}

/**
 * Returns whether the first non-empty line of the body is exactly one JSON value that is not an array, and a line feed
 * follows. If the body begins with no JSON value at all, the second line decides: one bad line does not take the others
 * with it.
 */
function endsWithItsLine(text: string): boolean {
  const start = nextValue(text, 0);
  if (text.charCodeAt(start) === openBracket) return false;
  const scanner = new ValidatingJsonScanner(text, { lines: true });
  if (isItsLine(scanner, start)) return true;
  const whole = new ValidatingJsonScanner(text);
  if (whole.value(start, 0) >= 0 || whole.failure === 'depth') return false;
  const newline = text.indexOf('\n', start);
  const second = newline < 0 ? text.length : nextValue(text, newline);
  return text.charCodeAt(second) === openBrace && isItsLine(scanner, second, { orLast: true });
}

/** Whether exactly one value is on the line, and a line feed follows; with `orLast` the text may also end there. */
function isItsLine(scanner: ValidatingJsonScanner, start: number, { orLast = false } = {}): boolean {
  const end = scanner.value(start, 0);
  if (end < 0) return false;
  const rest = scanner.space(end);
  return scanner.text.charCodeAt(rest) === lineFeed || (orLast && rest >= scanner.text.length);
}

/** Reads newline-delimited values; yields the number of characters of each. */
function* lines(text: string, taker: ValueHandler): Generator<number> {
  const scanner = new ValidatingJsonScanner(text, { lines: true });
  for (let start = nextValue(text, 0); start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    takeLine(scanner, { start, end }, taker);
    yield end - start;
    start = nextValue(text, end);
  }
}

function takeLine(
  scanner: ValidatingJsonScanner,
  line: { start: number; end: number },
  taker: ValueHandler,
): void {
  const end = taker.scan(scanner, line.start);
  const rest = end < 0 ? line.end : scanner.space(end);
  if (end < 0) taker.refuse(failure(scanner), line.start, line.end);
  else if (rest < line.end) {
    const isValue = scanner.text.charCodeAt(rest) === openBrace;
    taker.refuse(isValue ? secondOnLine(rest) : syntaxError(rest), line.start, line.end);
  } else taker.take(scanner, line.start, end);
}

function* sequence(text: string, taker: ValueHandler): Generator<number> {
  const scanner = new ValidatingJsonScanner(text);
  for (let i = nextValue(text, 0); i < text.length;) {
    const start = i;
    if (text.charCodeAt(i) === openBracket) i = yield* list(scanner, i, taker);
    else {
      i = takeValue(scanner, start, taker);
      yield i - start;
    }
    i = nextValue(text, i);
  }
}

/** Takes or rejects a value. Returns the index after it, or the end of the body if its end is unknown. */
function takeValue(scanner: ValidatingJsonScanner, start: number, taker: ValueHandler): number {
  const { text } = scanner;
  const end = taker.scan(scanner, start);
  if (end >= 0 && (scanner.space(end) > end || !runsOn(text, start, end))) {
    taker.take(scanner, start, end);
    return end;
  }
  const rejectedEnd = end < 0 ? endOfRejected(scanner, start) : text.length;
  taker.refuse(end < 0 ? failure(scanner) : syntaxError(end), start, rejectedEnd);
  return rejectedEnd;
}

/** Returns the end of a value that the scanner has rejected: the end of the body, unless the value is only too deep. */
function endOfRejected({ text, failure }: ValidatingJsonScanner, start: number): number {
  return (failure === 'depth' ? endOfDeepValue(text, start) : undefined) ?? text.length;
}

/** Returns whether other text directly follows a number or a literal, as in `01` or `nullnull`. */
function runsOn(text: string, start: number, end: number): boolean {
  const code = text.charCodeAt(start);
  return code !== quote && code !== openBrace && end < text.length;
}

function* list(
  scanner: ValidatingJsonScanner,
  start: number,
  taker: ValueHandler,
): Generator<number, number> {
  const { text } = scanner;
  let i = scanner.space(start + 1);
  if (text.charCodeAt(i) === closeBracket) return i + 1;
  for (;;) {
    const first = i;
    const scanned = taker.scan(scanner, first);
    const end = scanned < 0 ? endOfRejected(scanner, first) : scanned;
    i = scanner.space(end);
    const code = text.charCodeAt(i);
    if (code !== comma && code !== closeBracket) {
      taker.refuse(scanned < 0 ? failure(scanner) : syntaxError(i), first, text.length);
      yield text.length - first;
      return text.length;
    }
    if (scanned < 0) taker.refuse(failure(scanner), first, end);
    else taker.take(scanner, first, end);
    yield end - first;
    if (code === closeBracket) return i + 1;
    i = scanner.space(i + 1);
  }
}

function notAList(): ProblemError {
  const detail = 'must be a list';
  return new ProblemError('invalid_request', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });
}

function wrongCount(): ProblemError {
  const detail = `must have 1 to ${limits.rawValues} values`;
  return new ProblemError('invalid_request', `The body ${detail}.`, { errors: [{ pointer: '', detail }] });
}
