import { isAscii } from 'node:buffer';
import { isJsonObject, type JsonScanner } from '#json';
import { ValidatingJsonScanner } from '#json-schema/scan';
import { limits } from '#event';
import { ProblemError } from '#api';
import { TimeSlice } from '#async';
import { parseJson, unknownFields } from '#http';
import { scanEvent, type ScannerAndSchemas } from './event-scan.js';
import { readEvent, type AcceptedEvent, type EventParserInputs } from './read-event.js';
import { EventRejection } from './rejection.js';
import { endOfDeepValue } from './unread-value.js';

/** The events of a write request, each valid or rejected, in request order. */
export type ParsedEvents = (AcceptedEvent | EventRejection)[];

/** Matches the first character of a value. */
const valueStart = /[^ \t\r\n\ufeff]|^\ufeff/g;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Decodes a body that is known to be valid UTF-8. ASCII is decoded as Latin-1, because a string of one-byte characters
 * is faster to scan and slice.
 */
export function textOf(body: Buffer): string {
  return body.toString(isAscii(body) ? 'latin1' : 'utf8');
}

/**
 * Returns the index where the next value or line with a value begins, at or after `start`: empty lines and white space
 * are skipped, and so is a byte-order mark before a value, where joined files leave it.
 */
export function nextValue(text: string, start: number): number {
  valueStart.lastIndex = start;
  return valueStart.test(text) ? valueStart.lastIndex - 1 : text.length;
}

/**
 * Parses and validates a request body that is a single event. @throws ProblemError `invalid_json`, or the problem of
 * the event
 */
export function readSingle(inputs: EventParserInputs): AcceptedEvent {
  const { text, schemas } = inputs;
  const scanner = new ValidatingJsonScanner(text);
  const start = scanner.space(0);
  const found = scanEvent({ scanner, schemas }, start);
  if (!found) throw failure(scanner).toProblem();
  const end = scanner.space(found.end);
  if (text.charCodeAt(end) === openBrace) throw secondEvent().toProblem();
  if (end < text.length) throw syntaxError(end).toProblem();
  if (text.charCodeAt(start) === openBracket) throw arrayOfEvents().toProblem();
  if (Object.hasOwn(found.envelope, 'events')) throw batchAsEvent().toProblem();
  const event = readEvent(found, '', inputs);
  if (event instanceof EventRejection) throw event.toProblem();
  return event;
}

/**
 * Parses and validates a batch of events as JSON, `{"events":[…]}`. An invalid event becomes a rejection; an error of
 * the whole body is thrown. Reading yields to the event loop between events.
 * @throws ProblemError `invalid_json`, `invalid_request`
 */
export async function readBatch(inputs: EventParserInputs): Promise<ParsedEvents> {
  const { text, schemas } = inputs;
  const start = /^[ \t\n\r]*\{[ \t\n\r]*"events"[ \t\n\r]*:[ \t\n\r]*\[/.exec(text)?.[0].length;
  if (start === undefined) throw notABatch(text);
  const scanner = new ValidatingJsonScanner(text);
  const scan: ScannerAndSchemas = { scanner, schemas };
  const results: ParsedEvents = [];
  const turn = new TimeSlice();
  let i = scanner.space(start);
  while (text.charCodeAt(i) !== closeBracket || results.length > 0) {
    if (results.length === limits.batchEvents) throw wrongCount();
    const pointer = `/events/${results.length}`;
    const found = scanEvent(scan, i);
    const end = found?.end ?? (scanner.failure === 'depth' ? endOfDeepValue(text, i) : undefined);
    if (end === undefined) throw failure(scanner, pointer).toProblem();
    results.push(found ? readEvent(found, pointer, inputs) : failure(scanner, pointer));
    if (turn.over(end - i)) await turn.end();
    i = scanner.space(end);
    const code = text.charCodeAt(i);
    if (code === closeBracket) break;
    if (code !== comma) throw syntaxError(i).toProblem();
    i = scanner.space(i + 1);
  }
  i = scanner.space(i + 1);
  if (text.charCodeAt(i) !== closeBrace || scanner.space(i + 1) < text.length) throw notABatch(text);
  if (results.length === 0) throw wrongCount();
  return results;
}

/**
 * Parses and validates a batch of events as newline-delimited JSON, with one event on each line; empty lines are
 * skipped. The pointers of errors count events from 0, as in `/events/0`. A line that is not JSON becomes a rejection.
 * Reading yields to the event loop between lines.
 * @throws ProblemError `invalid_request` when there are no events or too many
 */
export async function readLines(inputs: EventParserInputs): Promise<ParsedEvents> {
  const { text } = inputs;
  const reader = new EventLineReader(inputs);
  const results: ParsedEvents = [];
  const turn = new TimeSlice();
  for (let start = nextValue(text, 0); start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (results.length === limits.batchEvents) throw wrongCount();
    results.push(reader.read({ start, end, index: results.length }));
    if (turn.over(end - start)) await turn.end();
    start = nextValue(text, end);
  }
  if (results.length === 0) throw wrongCount();
  return results;
}

/** Parses and validates events that are on separate lines of a request's text. */
export class EventLineReader {
  private readonly scan: ScannerAndSchemas;

  constructor(private readonly inputs: EventParserInputs) {
    const { text, schemas } = inputs;
    this.scan = { scanner: new ValidatingJsonScanner(text, { lines: true }), schemas };
  }

  /** Parses the event on the line from `start` to `end`. @param line.index Index of the event in the request */
  read(line: { start: number; end: number; index: number }): AcceptedEvent | EventRejection {
    const pointer = `/events/${line.index}`;
    const { scanner } = this.scan;
    const found = scanEvent(this.scan, line.start);
    if (!found) return failure(scanner, pointer);
    const rest = scanner.space(found.end);
    if (scanner.text.charCodeAt(rest) === openBrace) return secondOnLine(rest, pointer);
    if (rest < line.end) return syntaxError(rest, pointer);
    return readEvent(found, pointer, this.inputs);
  }
}

/**
 * Returns the rejection for the failure that the scanner has recorded: invalid JSON, or JSON that is nested too deep.
 */
export function failure(scanner: JsonScanner, pointer = ''): EventRejection {
  if (scanner.failure === 'syntax') return syntaxError(scanner.failedAt, pointer);
  const detail = `JSON may be nested ${limits.jsonDepth} levels deep at most.`;
  return new EventRejection('invalid_json', detail, [{ pointer, detail: 'is nested too deep' }]);
}

export function syntaxError(at: number, pointer?: string): EventRejection {
  const detail = `This is not valid JSON (RFC 8259): character ${at + 1} of the body is unexpected.`;
  return new EventRejection(
    'invalid_json',
    detail,
    pointer ? [{ pointer, detail: 'is not valid JSON' }] : [],
  );
}

function secondEvent(): EventRejection {
  const detail =
    'This address accepts one event, but another one follows it. Send several to /api/v1/events/batch, ' +
    'as {"events":[…]} or with one on each line (application/x-ndjson).';
  return new EventRejection('invalid_json', detail);
}

function arrayOfEvents(): EventRejection {
  const detail =
    'This address accepts one event, not an array. Send several as {"events":[…]} to /api/v1/events/batch.';
  return new EventRejection('invalid_request', detail, [
    { pointer: '', detail: 'must be one object, not an array' },
  ]);
}

function batchAsEvent(): EventRejection {
  const detail =
    'This address accepts one event, but the body has the member events, like a batch. Send a batch to ' +
    '/api/v1/events/batch.';
  return new EventRejection('invalid_request', detail, [
    { pointer: '/events', detail: 'is not a field of an event' },
  ]);
}

export function secondOnLine(at: number, pointer = ''): EventRejection {
  const detail =
    `A line may have one event, but another one begins at character ${at + 1} of the body. ` +
    'End each event with a line feed.';
  return new EventRejection('invalid_json', detail, [
    { pointer, detail: 'must be the only event on its line' },
  ]);
}

function wrongCount(): ProblemError {
  const detail = `must be 1 to ${limits.batchEvents} events`;
  return new ProblemError('invalid_request', `A batch ${detail}.`, {
    errors: [{ pointer: '/events', detail }],
  });
}

function linesAsJson(): ProblemError {
  const detail =
    'One event on each line is application/x-ndjson: send it with this content-type. As application/json, a batch is ' +
    '{"events":[…]}.';
  return new ProblemError('invalid_json', detail);
}

/** Returns the problem for a body that is not `{"events":[…]}`. */
function notABatch(text: string): ProblemError {
  if (/^\s*\{[^\n]*\}\r?\n\s*\{/.test(text)) return linesAsJson();
  const value = parseJson(text);
  const isObject = isJsonObject(value);
  const errors = isObject ? unknownFields(value, new Set(['events'])) : [];
  if (errors.length === 0) {
    const detail = 'must be an array, must be given once, and its name must be written without escapes';
    errors.push(isObject ? { pointer: '/events', detail } : { pointer: '', detail: 'must be an object' });
  }
  return new ProblemError('invalid_request', 'A batch is an object with one member: events.', { errors });
}
