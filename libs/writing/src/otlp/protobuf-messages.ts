import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Yields the bytes of each message in a repeated field of an encoded protobuf message, and skips every other field. */
export function* messages(bytes: Uint8Array, field: number): Generator<Uint8Array> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === field && type === WireType.LengthDelimited) yield reader.bytes();
    else reader.skip(type, number);
  }
}
