import { isUtf8 } from 'node:buffer';
import { JsonByteScanner } from './json-byte-scanner.js';
import { readTime, readUuid, uuidLength } from './record-bytes.js';
import type { EpochMicros } from '#json';

/** Error: the value of a Kafka record is not an event in the format of `EventRecord`; the message says why. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
}

const idMark = Buffer.from('{"event_id":"');
const typeMark = Buffer.from('","event_type":"');
const entityMark = Buffer.from(',"entity_id":');
const noValue = Buffer.from('null');
const timestampMark = Buffer.from(',"timestamp":"');
const ingestedAtMark = Buffer.from(',"ingested_at":"');
const schemaVersionMark = Buffer.from(',"schema_version":');
const metadataMark = Buffer.from(',"metadata":');
const dataMark = Buffer.from(',"data":');

const quote = 0x22;
const backslash = 0x5c;
const closeBrace = 0x7d;
const longestTime = 40;
const longestSchemaVersion = 9;
const loneSurrogate = /\p{Surrogate}/u;

const emptyBuffer = Buffer.alloc(0);

/** A mutable range of bytes in a buffer. A reader reuses it for all Kafka records, which saves an allocation for each. */
export class MutableBufferSlice {
  bytes: Buffer = emptyBuffer;
  start = 0;
  /** Index after the last byte of the range. */
  end = 0;

  set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get isEmpty(): boolean {
    return this.end === this.start;
  }

  /** Returns the text of the bytes, decoded as UTF-8. */
  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}

/**
 * Reads the value of an event record in place; `EventRecord` describes the format. Creates only numbers and byte ranges.
 * The fields are valid until the next call of `read`.
 */
export class EventRecordParser {
  /** Event id as four 32-bit words, the most significant one first. */
  readonly id = new Uint32Array(4);
  readonly eventType = new MutableBufferSlice();
  /** Entity id of the event; empty for an event without an entity. */
  readonly entityId = new MutableBufferSlice();
  timestamp: EpochMicros = 0;
  ingestedAt: EpochMicros = 0;
  /** Schema version of the event; 0 for an event without one. */
  schemaVersion = 0;
  /** The event's `metadata`: JSON text of an object, as the client sent it. */
  readonly metadata = new MutableBufferSlice();
  /** The event's `data`: JSON text of an object, as the client sent it. */
  readonly data = new MutableBufferSlice();

  private readonly json = new JsonByteScanner();

  /** Parses the value of a Kafka record like `read`. Returns false if the value is not an event. */
  readIfEvent(value: Buffer): boolean {
    try {
      this.read(value);
      return true;
    } catch (error) {
      if (error instanceof UnreadableRecordError) return false;
      throw error;
    }
  }

  /**
   * Parses the value of a Kafka record into the fields of this reader.
   * @throws UnreadableRecordError if `encodeRecord` does not write such a value
   */
  read(value: Buffer): void {
    try {
      this.json.high = 0;
      this.readContent(value, this.readMembers(value));
    } catch (error) {
      if (error instanceof UnreadableRecordError && !isUtf8(value)) throw notUtf8();
      throw error;
    }
    if (this.json.high >= 0x80 && !isUtf8(value)) throw notUtf8();
  }

  /** Reads all members of an event record before the value of `metadata`. Returns the index where that value begins. */
  private readMembers(value: Buffer): number {
    let at = after(value, 0, idMark);
    if (!readUuid(value, at, this.id)) throw invalidMembers();
    at = this.readString(value, after(value, at + uuidLength, typeMark), this.eventType);
    at = this.readEntity(value, after(value, at, entityMark));
    at = after(value, at, timestampMark);
    let end = endOfTime(value, at);
    this.timestamp = timeOf(value, { start: at, end }, 'timestamp');
    at = after(value, end + 1, ingestedAtMark);
    end = endOfTime(value, at);
    this.ingestedAt = timeOf(value, { start: at, end }, 'ingested_at');
    at = this.readSchemaVersion(value, after(value, end + 1, schemaVersionMark));
    return after(value, at, metadataMark);
  }

  private readContent(value: Buffer, metadataStart: number): void {
    const metadataEnd = endOfFlatObject(value, metadataStart);
    const end = value.length - 1;
    if (metadataEnd < 0 || !startsAt(value, metadataEnd, dataMark) || value[end] !== closeBrace)
      throw new UnreadableRecordError(
        'metadata is not a flat object followed by data, or the end is missing',
      );
    this.metadata.set(value, metadataStart, metadataEnd);
    this.data.set(value, metadataEnd + dataMark.length, end);
    this.assertObject(this.metadata, 'metadata');
    this.assertObject(this.data, 'data');
  }

  /**
   * Checks that the range is a JSON object. The scanner rejects an object that is nested deeper than
   * `limits.jsonDepth`; then `JSON.parse` decides, so such an object is accepted.
   */
  private assertObject(range: MutableBufferSlice, member: string): void {
    if (this.json.object(range.bytes, range.start) === range.end) return;
    const text = range.toString();
    if (!text.startsWith('{')) throw new UnreadableRecordError(`${member} is not an object`);
    parse(text, member);
    this.json.high = 0x80;
  }

  private readEntity(value: Buffer, start: number): number {
    if (value[start] === quote) {
      const end = this.readString(value, start + 1, this.entityId);
      // An empty id is invalid: the store keeps an event without an entity with an empty text.
      if (this.entityId.isEmpty) throw new UnreadableRecordError('entity_id is empty');
      return end;
    }
    this.entityId.set(value, start, start);
    return after(value, start, noValue);
  }

  /** Reads a string from the byte after its opening quote. Returns the index after its closing quote. */
  private readString(value: Buffer, start: number, range: MutableBufferSlice): number {
    let high = 0;
    let escaped = false;
    for (let i = start; ; i++) {
      const code = value[i]!;
      if (code === quote) {
        this.json.high |= high;
        if (escaped) this.unescape(value.toString('utf8', start - 1, i + 1), range);
        else range.set(value, start, i);
        return i + 1;
      }
      if (!(code >= 0x20)) throw invalidMembers();
      high |= code;
      if (code === backslash) {
        escaped = true;
        i++;
      }
    }
  }

  /** Decodes a string with escapes. Lone surrogates are invalid: such texts would become equal in the store. */
  private unescape(literal: string, range: MutableBufferSlice): void {
    const member = range === this.eventType ? 'event_type' : 'entity_id';
    const text = parse(literal, member) as string;
    if (loneSurrogate.test(text)) throw new UnreadableRecordError(`${member} is not well-formed Unicode`);
    const bytes = Buffer.from(text);
    range.set(bytes, 0, bytes.length);
    this.json.high |= 0x80;
  }

  private readSchemaVersion(value: Buffer, start: number): number {
    let number = 0;
    let i = start;
    for (; i < start + longestSchemaVersion; i++) {
      const digit = value[i]! - 0x30;
      if (!(digit >= 0 && digit <= 9)) break;
      number = number * 10 + digit;
    }
    this.schemaVersion = number;
    return i > start ? i : after(value, start, noValue);
  }
}

function after(value: Buffer, at: number, mark: Buffer): number {
  if (!startsAt(value, at, mark)) throw invalidMembers();
  return at + mark.length;
}

function startsAt(value: Buffer, at: number, mark: Buffer): boolean {
  for (let i = 0; i < mark.length; i++) if (value[at + i] !== mark[i]) return false;
  return true;
}

function endOfTime(value: Buffer, start: number): number {
  for (let i = start; i <= start + longestTime; i++) if (value[i] === quote) return i;
  throw invalidMembers();
}

function timeOf(value: Buffer, { start, end }: { start: number; end: number }, member: string): EpochMicros {
  const micros = readTime(value, start, end);
  if (Number.isNaN(micros)) throw new UnreadableRecordError(`${member} is not an RFC 3339 time in range`);
  return micros;
}

/** Returns the end (exclusive) of the flat JSON object that starts at `start`; -1 if it does not end. */
function endOfFlatObject(value: Buffer, start: number): number {
  let inString = false;
  for (let i = start; i < value.length; i++) {
    const code = value[i];
    if (code === backslash) i++;
    else if (code === quote) inString = !inString;
    else if (code === closeBrace && !inString) return i + 1;
  }
  return -1;
}

function parse(json: string, member: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UnreadableRecordError(`${member} is not JSON: ${(error as Error).message}`);
  }
}

function invalidMembers(): UnreadableRecordError {
  return new UnreadableRecordError('the members before metadata are not those of an event');
}

function notUtf8(): UnreadableRecordError {
  return new UnreadableRecordError('the value is not UTF-8');
}
