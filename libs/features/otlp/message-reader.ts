import type { MessageFields } from './message-fields.js';
import { unreadable } from './otlp-request-errors.js';

/** Begin and end of an encoded value in the body of a request. */
export interface EncodedRange {
  start: number;
  end: number;
}

/** The integer types of protobuf that log records have. */
export type IntegerType = 'int32' | 'int64' | 'fixed32' | 'fixed64';

/**
 * Reads protobuf messages from the body of a request, in one of their encodings. Values are read in their order and
 * without the objects of a parser, so that limits apply while reading. Each method reads the current value. A method
 * throws an `UnreadableMessageError` if the value does not have its type.
 */
export interface MessageReader {
  /** Factor by which an encoded message may be longer than the JSON text of an event. */
  readonly longer: number;
  /** Sets the maximum number of fields and list elements that the reader reads from now on. */
  limitFields(most: number): void;
  /** Continues at a message that was skipped. @param what What it is, for errors */
  open(range: EncodedRange, what: string): void;
  /**
   * Reads a message: calls `take` for each known field, which reads the value of the field or leaves it out. A field may
   * occur more than once.
   */
  message<F extends string>(fields: MessageFields<F>, take: (field: F) => void): void;
  /** Reads a repeated field: calls `take` for each of its elements. */
  elements(take: () => void): void;
  /** Skips the value and returns its range. */
  skip(): EncodedRange;
  /**
   * Skips a value that will be read later, and returns its range. An error inside of it is found when it is read, unless
   * the error leaves its end unknown.
   */
  skipUnread(): EncodedRange;
  /** Skips a value that is valid, or only nested too deep, and returns its range. Large JSON bodies are not validated. */
  skipAnyDepth(): EncodedRange;
  /** Reads a text; U+FFFD replaces what is not valid Unicode. */
  text(): string;
  boolean(): boolean;
  /** @param names Names of an enum, which the JSON encoding allows instead of its numbers */
  integer(type: IntegerType, names?: ReadonlyMap<string, bigint>): bigint;
  double(): number;
  /** Reads bytes as Base64. */
  base64(): string;
  /** Reads the id of a trace or span as hexadecimal text; an empty text if it is absent or zero. */
  id(bytes: number): string;
  /** Returns an encoded value as text: JSON, or the bytes of protobuf as Base64. */
  encoded(range: EncodedRange): string;
}

/**
 * Returns the id of a trace or span as hexadecimal text. An id that is empty or zero stands for a missing one, and
 * becomes an empty text. Source: `logs.proto`.
 * @throws UnreadableMessageError if it has another length
 */
export function hexId(id: Buffer, { bytes, field }: { bytes: number; field: string }): string {
  if (id.length !== 0 && id.length !== bytes)
    throw unreadable(`${field} has ${id.length} bytes instead of ${bytes}, as hexadecimal or Base64`);
  return id.every((byte) => byte === 0) ? '' : id.toString('hex');
}
