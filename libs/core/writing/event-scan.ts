import { limits } from '#event';
import type { JsonScanner } from '#json';
import type { ValidatingJsonScanner } from '#json-schema/scan';
import type { EventSchema, EventSchemaFinder } from './event-schema.js';
import { mostErrorsOfEvent } from './validate-event.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Placeholder in an envelope for a JSON object whose content is not parsed: the validator checks only its type. */
const someObject: object = Object.freeze({});
const someArray: readonly unknown[] = Object.freeze([]);
/** Placeholder for the envelope of a value that is not a JSON object; the validator rejects it. */
const notAnEvent = someArray as unknown as Record<string, unknown>;

/**
 * A sent event after the scan of its JSON text and before validation: its scalars as values, `data` and `metadata` as
 * text.
 */
export interface ScannedEvent {
  /**
   * Input of the compiled validator. The input includes the first unknown members of the event, with the value null.
   */
  envelope: Record<string, unknown>;
  unknown: number;
  start: number;
  end: number;
  data: string;
  metadata: string;
  /** Whether an object in the event has two members with the same name. */
  duplicate: boolean;
  /** The schema that `data` was found to match during the scan; undefined if the match must be checked later. */
  fits: EventSchema | undefined;
}

/** Scanner and schemas that the scan of an event uses. */
export interface ScannerAndSchemas {
  scanner: ValidatingJsonScanner;
  schemas: EventSchemaFinder | undefined;
}

/**
 * Scans the JSON value at `start` of the scanner's text as an event. A value that is not an object gets an envelope
 * that the validator rejects. Returns undefined if the text is not valid JSON; the scanner then has the details.
 */
export function scanEvent(scan: ScannerAndSchemas, start: number): ScannedEvent | undefined {
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
  // An event with an unknown member is rejected anyway, so the costly exact check is skipped.
  const unsure = scanner.uncertain && event.unknown === 0;
  event.duplicate = scanner.duplicate || (unsure && hasDuplicates(scanner, event));
  return event;
}

function scanMembers(scan: ScannerAndSchemas, event: ScannedEvent): number {
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

/**
 * Scans the member `data`, and checks it against its schema at the same time if the event's stream and type precede it.
 * If stream or type come after `data`, the schema is checked later.
 */
function scanData({ scanner, schemas }: ScannerAndSchemas, event: ScannedEvent, start: number): number {
  const { stream, event_type } = event.envelope;
  if (typeof stream !== 'string' || typeof event_type !== 'string') return scanner.value(start, 1);
  const subject = schemas?.find(stream, event_type);
  const schemaScan = subject?.ready?.scan;
  if (!schemaScan) return scanner.value(start, 1);
  const end = scanner.check(schemaScan, start, 1);
  if (scanner.fits) event.fits = subject;
  return end;
}

interface Found {
  scanner: ValidatingJsonScanner;
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
    case 'expected_version':
      envelope.expected_version = kindOf(found);
      break;
    default:
      if (++event.unknown > mostErrorsOfEvent) return;
      // Use defineProperty, because the name may be __proto__.
      Object.defineProperty(envelope, name, { value: null, enumerable: true, configurable: true });
  }
}

/**
 * Parses the member `metadata`. Events of one request often have the same metadata, so the last parsed value is reused.
 */
function takeMetadata(event: ScannedEvent, { scanner, start, end }: Found): void {
  const text = scanner.text.slice(start, end);
  if (text !== scanner.lastMetadata.text) scanner.lastMetadata = { text, value: bounded(JSON.parse(text)) };
  event.envelope.metadata = scanner.lastMetadata.value;
  if (text !== 'null') event.metadata = text;
}

/**
 * Cuts metadata with too many members to one member more than the limit, because the validator creates an error for
 * each invalid member.
 */
function bounded(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata;
  const names = Object.keys(metadata);
  if (names.length <= limits.metadataMembers) return metadata;
  return Object.fromEntries(Object.entries(metadata).slice(0, limits.metadataMembers + 1));
}

/** Returns the value of a string, or a placeholder of the same JSON type for other values. */
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
 * Returns whether an object in the value that was scanned last has two members with the same name. The function parses
 * the value: `JSON.parse` keeps only one of such members.
 */
export function hasDuplicates(scanner: JsonScanner, value: { start: number; end: number }): boolean {
  return countMembers(parsed(scanner.text, value.start, value.end)) !== scanner.members;
}

/** Counts the members of all objects in a parsed value, nested ones included. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce<number>((count, member) => count + countMembers(member), own);
}
