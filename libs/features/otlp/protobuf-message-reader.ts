import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ProblemError } from '#api';
import type { MessageFields } from './message-fields.js';
import { hexId, type EncodedRange, type IntegerType, type MessageReader } from './message-reader.js';
import { tooManyFields, unreadable, UnreadableMessageError } from './otlp-request-errors.js';

/**
 * Reads messages in the protobuf encoding. A field with another wire type than its own is unknown, as protobuf requires.
 */
export class ProtobufMessageReader implements MessageReader {
  readonly longer = 1;
  private readonly reader: BinaryReader;
  /** End of the current message. */
  private end: number;
  /** Whether the next message begins at the position of the reader, without its length. */
  private isOpen = true;
  private fieldsLeft = 0;
  private field = '';

  constructor(private readonly body: Buffer) {
    this.reader = new BinaryReader(body, textOf);
    this.end = body.length;
  }

  limitFields(most: number): void {
    this.fieldsLeft = most;
  }

  open({ start, end }: EncodedRange): void {
    this.reader.pos = start;
    this.end = end;
    this.isOpen = true;
  }

  message<F extends string>(fields: MessageFields<F>, take: (field: F) => void): void {
    const { reader } = this;
    const outer = this.end;
    if (!this.isOpen) this.end = this.length();
    this.isOpen = false;
    try {
      while (reader.pos < this.end) {
        const [number, type] = this.tag();
        const known = fields.byNumber.get(number);
        const before = reader.pos;
        if (known?.type === type) take((this.field = known.name));
        if (reader.pos === before) this.skipField(type, number);
        this.requireWithin(reader.pos);
      }
    } catch (error) {
      // The library throws an Error or a RangeError. A TypeError would be a mistake of this code.
      if (error instanceof UnreadableMessageError || error instanceof ProblemError) throw error;
      if (error instanceof TypeError) throw error;
      throw unreadable('it is not valid protobuf', error);
    }
    this.end = outer;
  }

  elements(take: () => void): void {
    take();
  }

  skip(): EncodedRange {
    const end = this.length();
    const start = this.reader.pos;
    this.reader.pos = end;
    return { start, end };
  }

  skipUnread(): EncodedRange {
    return this.skip();
  }

  skipAnyDepth(): EncodedRange {
    return this.skip();
  }

  text(): string {
    return this.reader.string();
  }

  boolean(): boolean {
    return this.reader.bool();
  }

  integer(type: IntegerType): bigint {
    return BigInt(this.reader[type]());
  }

  double(): number {
    return this.reader.double();
  }

  base64(): string {
    const { start, end } = this.skip();
    return this.body.toString('base64', start, end);
  }

  id(bytes: number): string {
    const { field } = this;
    const { start, end } = this.skip();
    return hexId(this.body.subarray(start, end), { bytes, field });
  }

  encoded({ start, end }: EncodedRange): string {
    return this.body.toString('base64', start, end);
  }

  private tag(): [number, WireType] {
    if (--this.fieldsLeft < 0) throw tooManyFields();
    return this.reader.tag();
  }

  /** Skips an unknown field. A group counts with all its fields, because each of them takes time. */
  private skipField(type: WireType, number: number): void {
    if (type !== WireType.StartGroup) {
      this.reader.skip(type, number);
      return;
    }
    for (let depth = 1; depth > 0;) {
      const [inner, innerType] = this.tag();
      if (innerType === WireType.StartGroup) depth++;
      else if (innerType === WireType.EndGroup) depth--;
      else this.reader.skip(innerType, inner);
    }
  }

  /** Reads the length of a value, and returns the index of its end. */
  private length(): number {
    const length = this.reader.uint32();
    return this.requireWithin(this.reader.pos + length);
  }

  private requireWithin(position: number): number {
    if (position > this.end) throw unreadable('it is not valid protobuf: a value is longer than its message');
    return position;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}
