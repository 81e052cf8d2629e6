import { crc32c } from '@node-rs/crc32';
import type { RecordCodec } from '../compression/record-codec.js';
import type { GrowingBuffer } from '../encoding/growing-buffer.js';

/** A record to encode: a `ProducerRecord` of the port or a message of kafkajs. */
export interface EncodableRecord {
  key?: string | Buffer | null;
  value: string | Buffer | null;
  headers?: Record<string, EncodableHeader | EncodableHeader[]> | undefined;
  /** Milliseconds since 1970; `BatchEncoding.now` if omitted. */
  timestamp?: number | string | undefined;
}

type EncodableHeader = string | Buffer | undefined;

/** How a record batch is written, in addition to its records. Equal arguments give equal bytes. */
interface BatchEncoding {
  /** Producer id, epoch and first sequence number; each is -1 for a producer that is not idempotent. */
  producerId: bigint;
  producerEpoch: number;
  firstSequence: number;
  /** Timestamp of records without one, in milliseconds since 1970. */
  now: number;
  /** Compresses the records; undefined writes them uncompressed. */
  codec?: RecordCodec | undefined;
}

/** Bytes from which a batch is compressed. Smaller ones save a third, at a price that every consumer pays, too. */
const leastCompressedBytes = 1024;

const crcAt = 17;
const attributesAt = 21;
/** Size of the header of a record batch, in bytes. */
const headerBytes = 61;

/**
 * Writes one record batch, magic 2 (https://kafka.apache.org/documentation/#recordbatch). With a codec, compresses the
 * records if there are enough of them, and if they become smaller:
 *
 *     baseOffset: int64                 0: the broker sets it
 *     batchLength: int32                bytes after this field
 *     partitionLeaderEpoch: int32       0: the broker sets it
 *     magic: int8                       2
 *     crc: uint32                       CRC-32C of everything after this field
 *     attributes: int16                 id of the codec, 0 for none; create time, no transaction
 *     lastOffsetDelta: int32
 *     baseTimestamp: int64
 *     maxTimestamp: int64
 *     producerId: int64
 *     producerEpoch: int16
 *     baseSequence: int32
 *     records: [record], int32 count    the count is not compressed
 *
 *     record => length: varint, attributes: int8, timestampDelta: varlong, offsetDelta: varint,
 *               key: varint length + bytes, value: varint length + bytes,
 *               headers: varint count, each varint length + UTF-8 key, varint length + bytes
 *
 * varint and varlong are zig-zag encoded; a length of -1 means null.
 */
export function writeRecordBatch(
  out: GrowingBuffer,
  records: readonly EncodableRecord[],
  { now, codec, producerId, producerEpoch, firstSequence }: BatchEncoding,
): void {
  const [firstTimestamp, maxTimestamp] = timestampRange(records, now);
  out.ensure(headerBytes);
  const start = out.offset;
  out.offset += headerBytes;
  const writer = new RecordWriter(out);
  for (let i = 0; i < records.length; i++) {
    const record = records[i] as EncodableRecord;
    const timestamp = record.timestamp === undefined ? now : Number(record.timestamp);
    writer.write(record, i, timestamp - firstTimestamp);
  }
  const attributes = codec ? compress(out, start + headerBytes, codec) : 0;
  const bytes = out.bytes;
  bytes.writeBigInt64BE(0n, start);
  bytes.writeInt32BE(out.offset - start - 12, start + 8);
  bytes.writeInt32BE(0, start + 12);
  bytes[start + 16] = 2;
  bytes.writeInt16BE(attributes, start + attributesAt);
  bytes.writeInt32BE(records.length - 1, start + 23);
  bytes.writeBigInt64BE(BigInt(firstTimestamp), start + 27);
  bytes.writeBigInt64BE(BigInt(maxTimestamp), start + 35);
  bytes.writeBigInt64BE(producerId, start + 43);
  bytes.writeInt16BE(producerEpoch, start + 51);
  bytes.writeInt32BE(firstSequence, start + 53);
  bytes.writeInt32BE(records.length, start + 57);
  bytes.writeUInt32BE(crc32c(bytes.subarray(start + attributesAt, out.offset)), start + crcAt);
}

/** Replaces the records from `start` on with their compressed form, if it is shorter. Returns the batch's attributes. */
function compress(out: GrowingBuffer, start: number, codec: RecordCodec): number {
  const size = out.offset - start;
  if (size < leastCompressedBytes) return 0;
  const compressed = codec.compress(out.bytes.subarray(start, out.offset));
  if (compressed.length >= size) return 0;
  out.offset = start + compressed.copy(out.bytes, start);
  return codec.id;
}

function timestampRange(records: readonly EncodableRecord[], now: number): [first: number, max: number] {
  let first = Infinity;
  let max = -Infinity;
  for (const record of records) {
    const timestamp = record.timestamp === undefined ? now : Number(record.timestamp);
    if (timestamp < first) first = timestamp;
    if (timestamp > max) max = timestamp;
  }
  return [first, max];
}

const noHeaders = Buffer.from([0]);

class RecordWriter {
  private lastHeaders: EncodableRecord['headers'] = undefined;
  private lastHeaderBytes: Buffer = noHeaders;

  constructor(private readonly out: GrowingBuffer) {}

  write(record: EncodableRecord, offsetDelta: number, timestampDelta: number): void {
    const { key, value } = record;
    const keySize = sizeOf(key);
    const valueSize = sizeOf(value);
    const headers = this.headerBytes(record.headers);
    const body =
      1 +
      sizeOfVarint(timestampDelta) +
      sizeOfVarint(offsetDelta) +
      sizeOfVarint(keySize) +
      Math.max(keySize, 0) +
      sizeOfVarint(valueSize) +
      Math.max(valueSize, 0) +
      headers.length;
    this.out.ensure(body + 5);
    this.varint(body);
    this.out.bytes[this.out.offset++] = 0;
    this.varint(timestampDelta);
    this.varint(offsetDelta);
    this.sized(key, keySize);
    this.sized(value, valueSize);
    if (headers.length === 1) this.out.bytes[this.out.offset++] = 0;
    else this.out.offset += headers.copy(this.out.bytes, this.out.offset);
  }

  /** Returns the encoded headers. Records of one request share one headers object, which is encoded once. */
  private headerBytes(headers: EncodableRecord['headers']): Buffer {
    if (headers === this.lastHeaders) return this.lastHeaderBytes;
    this.lastHeaders = headers;
    this.lastHeaderBytes = headers ? encodeHeaders(headers) : noHeaders;
    return this.lastHeaderBytes;
  }

  private varint(value: number): void {
    this.out.offset = writeVarint(this.out.bytes, this.out.offset, value);
  }

  private sized(value: string | Buffer | null | undefined, size: number): void {
    this.out.offset = writeSized(this.out.bytes, this.out.offset, { value, size });
  }
}

/** Encodes headers without intermediate buffers, because single events come in requests of their own. */
function encodeHeaders(headers: NonNullable<EncodableRecord['headers']>): Buffer {
  const texts: EncodableHeader[] = [];
  for (const name of Object.keys(headers)) {
    const given = headers[name];
    if (!Array.isArray(given)) texts.push(name, given);
    else for (const value of given) texts.push(name, value);
  }
  if (texts.length === 0) return noHeaders;
  const parts = texts.map((value) => ({ value, size: sizeOf(value) }));
  const total = parts.reduce((sum, { size }) => sum + sizeOfVarint(size) + Math.max(size, 0), 0);
  const bytes = Buffer.allocUnsafe(sizeOfVarint(texts.length / 2) + total);
  let at = writeVarint(bytes, 0, texts.length / 2);
  for (const part of parts) at = writeSized(bytes, at, part);
  return bytes;
}

/** Writes a length and that many bytes; for null, the length -1 and no bytes. Returns the index after them. */
function writeSized(
  bytes: Buffer,
  start: number,
  { value, size }: { value: string | Buffer | null | undefined; size: number },
): number {
  const at = writeVarint(bytes, start, size);
  if (typeof value !== 'string') value?.copy(bytes, at);
  // A text with as many bytes as characters is ASCII, which is written fastest as Latin-1.
  else if (value.length === size) bytes.write(value, at, size, 'latin1');
  else bytes.write(value, at, size, 'utf8');
  return size > 0 ? at + size : at;
}

function sizeOf(value: string | Buffer | null | undefined): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value === null || value === undefined ? -1 : value.length;
}

/** Returns the size of a zig-zag encoded number in bytes; exact up to 2^52. */
function sizeOfVarint(value: number): number {
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  let size = 1;
  while (rest >= 128) {
    rest = Math.floor(rest / 128);
    size++;
  }
  return size;
}

function writeVarint(bytes: Buffer, start: number, value: number): number {
  let rest = value < 0 ? -value * 2 - 1 : value * 2;
  let at = start;
  while (rest >= 128) {
    bytes[at++] = (rest % 128) | 128;
    rest = Math.floor(rest / 128);
  }
  bytes[at++] = rest;
  return at;
}
