import { limits, type JsonScanner } from '#event';
import type { SchemaScanner } from './schemas/scan/schema-scanner.js';
import type { SchemaIndex, SubjectInForce } from './schemas/schema-index.js';
import { mostErrorsOfEvent } from './validate-event.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What stands for `data` where only its kind matters: its text is passed on as it is. */
const someObject: object = Object.freeze({});
const someArray: readonly unknown[] = Object.freeze([]);
/** An envelope that is not even an object. */
const notAnEvent = someArray as unknown as Record<string, unknown>;

/** An event as it stands in the text: its few scalars as values, `data` and `metadata` as text. */
export interface ScannedEvent {
  /** What the compiled validator checks. The first unknown members are in it, too, with the value null. */
  envelope: Record<string, unknown>;
  unknown: number;
  start: number;
  end: number;
  data: string;
  metadata: string;
  /** One of its objects has two members with the same name. */
  duplicate: boolean;
  /** The schema that `data` is known to fit. Undefined says nothing. */
  fits: SubjectInForce | undefined;
}

/** What a scan works with. */
export interface Scan {
  scanner: SchemaScanner;
  schemas: Pick<SchemaIndex, 'find'>;
}

/**
 * Scans the value that begins at `start`: an event, or whatever stands in its place, which then is an envelope that no
 * validator takes. Returns undefined after a failure, which the scanner tells.
 */
export function scanEvent(scan: Scan, start: number): ScannedEvent | undefined {
  const { scanner } = scan;
  scanner.reset();
  const event: ScannedEvent = {
    envelope: {},
    unknown: 0,
    start,
    end: start,
    data: '',
    metadata: '{}',
    duplicate: false,
    fits: undefined,
  };
  if (scanner.text.charCodeAt(start) === openBrace) event.end = scanMembers(scan, event);
  else {
    event.end = scanner.value(start, 0);
    event.envelope = notAnEvent;
  }
  if (event.end < 0) return undefined;
  // With an unknown member the event is refused as it is, without the cost of parsing it.
  const unsure = scanner.uncertain && event.unknown === 0;
  event.duplicate = scanner.duplicate || (unsure && hasDuplicates(scanner, event));
  return event;
}

function scanMembers(scan: Scan, event: ScannedEvent): number {
  const { scanner } = scan;
  const { text } = scanner;
  const base = scanner.openObject();
  let i = scanner.space(event.start + 1);
  if (text.charCodeAt(i) === closeBrace) return i + 1;
  for (;;) {
    if (text.charCodeAt(i) !== quote) return scanner.fail('syntax', i);
    const nameStart = i + 1;
    i = scanner.name(nameStart, base);
    if (i < 0) return -1;
    const name = scanner.escaped ? parsed(text, nameStart - 1, i) : text.slice(nameStart, i - 1);
    i = scanner.space(i);
    if (text.charCodeAt(i) !== colon) return scanner.fail('syntax', i);
    const valueStart = scanner.space(i + 1);
    i = name === 'data' ? scanData(scan, event, valueStart) : scanner.value(valueStart, 1);
    if (i < 0) return -1;
    take(event, name as string, { scanner, start: valueStart, end: i });
    i = scanner.space(i);
    const code = text.charCodeAt(i);
    if (code === closeBrace) break;
    if (code !== comma) return scanner.fail('syntax', i);
    i = scanner.space(i + 1);
  }
  scanner.closeObject(base);
  return i + 1;
}

/** With an eye on its schema, where stream and type stand before it. What that cannot say is found out later. */
function scanData({ scanner, schemas }: Scan, event: ScannedEvent, start: number): number {
  const { stream, event_type } = event.envelope;
  if (typeof stream !== 'string' || typeof event_type !== 'string') return scanner.value(start, 1);
  const subject = schemas.find(stream, event_type);
  const schemaScan = subject?.ready?.scan;
  if (!schemaScan) return scanner.value(start, 1);
  const end = scanner.check(schemaScan, start, 1);
  if (scanner.fits) event.fits = subject;
  return end;
}

interface Found {
  scanner: SchemaScanner;
  start: number;
  end: number;
}

function take(event: ScannedEvent, name: string, found: Found): void {
  const { envelope } = event;
  switch (name) {
    case 'data':
      event.data = found.scanner.text.slice(found.start, found.end);
      envelope.data = kindOf(found);
      break;
    case 'metadata':
      takeMetadata(event, found);
      break;
    case 'stream':
      envelope.stream = scalar(found);
      break;
    case 'event_type':
      envelope.event_type = scalar(found);
      break;
    case 'entity_id':
      envelope.entity_id = scalar(found);
      break;
    case 'timestamp':
      envelope.timestamp = scalar(found);
      break;
    case 'event_id':
      envelope.event_id = scalar(found);
      break;
    default:
      if (++event.unknown > mostErrorsOfEvent) return;
      // Defined rather than assigned: the name may be __proto__.
      Object.defineProperty(envelope, name, { value: null, enumerable: true, configurable: true });
  }
}

/** The events of one request often have the same metadata: its value is made once. */
function takeMetadata(event: ScannedEvent, { scanner, start, end }: Found): void {
  const text = scanner.text.slice(start, end);
  if (text !== scanner.lastMetadata.text) scanner.lastMetadata = { text, value: bounded(JSON.parse(text)) };
  event.envelope.metadata = scanner.lastMetadata.value;
  if (text !== 'null') event.metadata = text;
}

/** Of too many members only as many as show that: the validator makes an error for each wrong one. */
function bounded(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata;
  const names = Object.keys(metadata);
  if (names.length <= limits.metadataMembers) return metadata;
  return Object.fromEntries(Object.entries(metadata).slice(0, limits.metadataMembers + 1));
}

/** A string's value, or something of the same kind for what is not a string. */
function scalar(found: Found): unknown {
  const { text, escaped } = found.scanner;
  if (text.charCodeAt(found.start) !== quote) return kindOf(found);
  return escaped ? parsed(text, found.start, found.end) : text.slice(found.start + 1, found.end - 1);
}

function kindOf({ scanner, start, end }: Found): unknown {
  const code = scanner.text.charCodeAt(start);
  if (code === openBrace) return someObject;
  return code === openBracket ? someArray : parsed(scanner.text, start, end);
}

function parsed(text: string, start: number, end: number): unknown {
  return JSON.parse(text.slice(start, end));
}

/**
 * Whether an object of the value that was scanned last has a name twice, told the exact way: `JSON.parse` keeps one of
 * the members with the same name.
 */
export function hasDuplicates(scanner: JsonScanner, value: { start: number; end: number }): boolean {
  return countMembers(parsed(scanner.text, value.start, value.end)) !== scanner.members;
}

/** Members of all objects in a parsed value, nested ones included. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((count, member) => count + countMembers(member), own);
}
