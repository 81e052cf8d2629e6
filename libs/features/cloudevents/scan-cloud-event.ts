import { jsonValue, type JsonScanner } from '#json';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const colon = 0x3a;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Maximum number of attributes of a CloudEvent that are parsed; an event with so many is rejected later. */
const mostAttributes = 100;
/** Placeholder for a value that no attribute may have. */
const notScalar: object = Object.freeze({});

/** A CloudEvent that was scanned in the JSON event format: parsed attributes, and `data` as unparsed text. */
export interface ScannedCloudEvent {
  attributes: Map<string, unknown>;
  /** Text of `data`. */
  data: string | undefined;
  /** Text of `data_base64`; undefined if it is null. */
  base64: string | undefined;
  end: number;
}

/**
 * Scans the CloudEvent that begins with `{` at `start` of the scanner's text. The result's `end` is -1 if it is not
 * valid JSON; the scanner then has the details.
 */
export function scanCloudEvent(scanner: JsonScanner, start: number): ScannedCloudEvent {
  const event: ScannedCloudEvent = {
    attributes: new Map(),
    ...{ data: undefined, base64: undefined, end: -1 },
  };
  event.end = scanMembers(scanner, start + 1, event);
  return event;
}

function scanMembers(scanner: JsonScanner, start: number, event: ScannedCloudEvent): number {
  const { text } = scanner;
  const base = scanner.openObject();
  let i = scanner.space(start);
  if (text.charCodeAt(i) === closeBrace) return i + 1;
  for (;;) {
    if (text.charCodeAt(i) !== quote) return scanner.fail('syntax', i);
    const nameEnd = scanner.name(i + 1, base);
    if (nameEnd < 0) return -1;
    const name = scanner.escaped
      ? (jsonValue(text.slice(i, nameEnd)) as string)
      : text.slice(i + 1, nameEnd - 1);
    i = scanner.space(nameEnd);
    if (text.charCodeAt(i) !== colon) return scanner.fail('syntax', i);
    const valueStart = scanner.space(i + 1);
    const end = scanner.value(valueStart, levelOf(text.charCodeAt(valueStart)));
    if (end < 0) return -1;
    take(event, name, text.slice(valueStart, end));
    i = scanner.space(end);
    const code = text.charCodeAt(i);
    if (code === closeBrace) break;
    if (code !== comma) return scanner.fail('syntax', i);
    i = scanner.space(i + 1);
  }
  scanner.closeObject(base);
  return i + 1;
}

/**
 * Returns the nesting level at which a member's value will be stored. A value that is not an object is wrapped in one,
 * which adds a level.
 */
function levelOf(code: number): number {
  return code === openBrace ? 1 : 2;
}

function take(event: ScannedCloudEvent, name: string, value: string): void {
  if (name === 'data') event.data = value;
  else if (name === 'data_base64') event.base64 = value === 'null' ? undefined : value;
  else if (event.attributes.size < mostAttributes) event.attributes.set(name, scalarOf(value));
}

function scalarOf(value: string): unknown {
  const code = value.charCodeAt(0);
  if (code === openBrace || code === openBracket) return notScalar;
  const isNumber = code === minus || (code >= 0x30 && code <= 0x39);
  // `1.0` and `1e3` are not integers in CloudEvents.
  return isNumber && !/^-?\d+$/.test(value) ? notScalar : jsonValue(value);
}
