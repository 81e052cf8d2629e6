import { crc32c } from '@node-rs/crc32';
import type { ConsumerRecord, UndecodableRange } from '../../log.js';
import type { TopicPartition } from '../../topic-partition.js';
import { codecOfBatch } from '../compression/codecs.js';
import { DecompressionError } from '../compression/record-codec.js';
import { ByteReader } from '../encoding/byte-reader.js';
import type { EpochStart } from './leader-epochs.js';

/** The records of this producer from `firstOffset` to its abort marker are invisible. */
export interface AbortedTransaction {
  producerId: bigint;
  firstOffset: number;
}

/** The encoded records of one partition in a fetch response. */
interface EncodedRecords extends TopicPartition {
  /** Record batches in sequence; the last one may be cut off. */
  bytes: Buffer;
  /** Offset that the fetch requested; a batch may start before it. */
  from: number;
  aborted: readonly AbortedTransaction[];
  /** No batch reaches this offset; one that does has a damaged header. Default: unknown. */
  end?: number;
}

interface DecodedRecords {
  records: ConsumerRecord[];
  /** Where reading continues: after the last complete batch, even if its records were omitted (compaction, control). */
  next: number;
  /** Offset ranges of batches whose records cannot be decoded. */
  undecodable: UndecodableRange[];
  /** Bytes of decompressed records, in addition to the fetched bytes. */
  decompressedBytes: number;
  /**
   * The leader epochs of the intact batches, in the order of the log, each from the offset after the last batch of another epoch.
   * A damaged batch tells none: the checksum does not cover the epoch.
   */
  epochs: EpochStart[];
  /** The offset after the last of these batches. */
  epochsUntil: number;
}

/** Limit of the decompressed bytes of one batch, and about that of one fetch, against decompression bombs. */
const maxDecompressedBytes = 64 * 1024 * 1024;
const batchHeaderBytes = 61;
/** Position in a batch from which on its checksum covers the bytes. Offset, length and leader epoch are before it. */
const checkedFrom = 21;
const logAppendTime = 0x08;
const transactional = 0x10;
const control = 0x20;
const abortMarker = 0;

type BatchHeader = ReturnType<typeof readHeader>;

/**
 * Decodes the records of a fetch response; `produce/record-batch.ts` describes the format. Omits records before `from`,
 * control records and records of aborted transactions. Brokers do not verify what they read from their disks: a batch whose
 * bytes do not match its checksum, or whose offsets are impossible, is not decoded. Stops early once the batches have decompressed to
 * `maxDecompressedBytes`.
 */
export async function decodeRecords(set: EncodedRecords): Promise<DecodedRecords> {
  const records: ConsumerRecord[] = [];
  const undecodable: UndecodableRange[] = [];
  const epochs: EpochStart[] = [];
  const transactions = new AbortedTransactionFilter(set.aborted);
  const reader = new ByteReader(set.bytes);
  let next = set.from;
  let epochsUntil = set.from;
  let inflated = 0;
  while (reader.left >= batchHeaderBytes && inflated < maxDecompressedBytes) {
    const start = reader.offset;
    const header = readHeader(reader);
    if (header.end > set.bytes.length || header.end < reader.offset) break;
    const content = set.bytes.subarray(reader.offset, header.end);
    reader.offset = header.end;
    const around = { next, following: baseOffsetAt(set.bytes, header.end), end: set.end ?? Infinity };
    const isIntact =
      crc32c(set.bytes.subarray(start + checkedFrom, header.end)) === header.crc &&
      (start === 0 || header.baseOffset >= next) &&
      isPlausible(header, around);
    if (!isIntact) {
      const range = damagedRange(header, around);
      undecodable.push({ ...range, reason: 'damaged' });
      next = range.lastOffset + 1;
      continue;
    }
    next = Math.max(next, header.lastOffset + 1);
    if (header.lastOffset < set.from) continue;
    const { leaderEpoch } = header;
    if (epochs.at(-1)?.leaderEpoch !== leaderEpoch) epochs.push({ leaderEpoch, from: epochsUntil });
    epochsUntil = next;
    if (!transactions.visible(header, content)) continue;
    const before = records.length;
    try {
      const decompressed = decompress(content, header.attributes);
      const bytes = Buffer.isBuffer(decompressed) ? decompressed : await decompressed;
      if (bytes !== content) inflated += bytes.length;
      readRecords(new ByteReader(bytes), { header, set, records });
    } catch (error) {
      records.length = before;
      const offset = Math.max(header.baseOffset, set.from);
      undecodable.push({ offset, lastOffset: header.lastOffset, reason: reasonOf(error) });
    }
  }
  return { records, next, undecodable, decompressedBytes: inflated, epochs, epochsUntil };
}

/** Returns the first offset of the batch at this position; undefined if the bytes end before. */
function baseOffsetAt(bytes: Buffer, position: number): number | undefined {
  return position + 8 <= bytes.length ? Number(bytes.readBigInt64BE(position)) : undefined;
}

/** What is known of the offsets of a batch without its header. */
interface OffsetsAround {
  /** The offset after the batch before. */
  next: number;
  /** The first offset of the batch after it, whose header may be damaged. */
  following: number | undefined;
  end: number;
}

/** Whether the offsets of a batch, which its checksum does not cover, are where they can be. */
function isPlausible(
  { baseOffset, lastOffset }: BatchHeader,
  { next, following, end }: OffsetsAround,
): boolean {
  return lastOffset < end && (baseOffset <= next || following === undefined || following > lastOffset);
}

/**
 * Returns the offsets of a damaged batch, whose header may be wrong too. They end before the batch that follows; without one,
 * they end early rather than late, so that no other batch is skipped, and the next fetch begins within the damaged batch.
 */
function damagedRange(
  { baseOffset, lastOffset, count }: BatchHeader,
  { next, following = -1, end }: OffsetsAround,
): Pick<UndecodableRange, 'offset' | 'lastOffset'> {
  const isAhead = (offset: number, of: number) => offset > of && offset < end;
  const hasFollowing = isAhead(following, next);
  const offset = isAhead(baseOffset, next) && !(hasFollowing && baseOffset >= following) ? baseOffset : next;
  if (hasFollowing) return { offset, lastOffset: following - 1 };
  const claimed = Math.min(lastOffset - baseOffset, count - 1) + Math.min(baseOffset, offset);
  return { offset, lastOffset: Math.max(offset, Math.min(claimed, end - 1)) };
}

/** Returns the same buffer if the records are not compressed. */
function decompress(content: Buffer, attributes: number): Buffer | Promise<Buffer> {
  const codec = codecOfBatch(attributes);
  if (codec === 'none') return content;
  if (!codec) throw new DecompressionError('compressed with an unknown codec');
  return codec.decompress(content, maxDecompressedBytes);
}

/** Returns why a batch cannot be decoded (a RangeError: reading past its end). Rethrows errors of other causes. */
function reasonOf(error: unknown): string {
  if (error instanceof DecompressionError) return error.message;
  if (error instanceof RangeError) return 'damaged';
  throw error;
}

function readHeader(reader: ByteReader) {
  const baseOffset = reader.int64();
  const end = reader.int32() + reader.offset;
  const leaderEpoch = reader.int32();
  reader.skip(1);
  const crc = reader.int32() >>> 0;
  const attributes = reader.int16();
  const lastOffset = baseOffset + reader.int32();
  const baseTimestamp = reader.int64();
  const maxTimestamp = reader.int64();
  const producerId = reader.bigInt64();
  reader.skip(2 + 4);
  const count = reader.int32();
  return {
    baseOffset,
    end,
    leaderEpoch,
    crc,
    attributes,
    lastOffset,
    baseTimestamp,
    maxTimestamp,
    producerId,
    count,
  };
}

function readRecords(
  reader: ByteReader,
  { header, set, records }: { header: BatchHeader; set: EncodedRecords; records: ConsumerRecord[] },
): void {
  const appendTime = (header.attributes & logAppendTime) !== 0;
  for (let i = 0; i < header.count; i++) {
    const length = reader.varint();
    const end = reader.offset + length;
    reader.skip(1);
    const created = header.baseTimestamp + reader.varint();
    const offset = header.baseOffset + reader.varint();
    const timestamp = appendTime ? header.maxTimestamp : created;
    if (offset >= set.from) records.push(new FetchedRecord(set, offset, timestamp).at(reader));
    reader.offset = end;
  }
}

/** A record that keeps the positions of its key, value and headers in the fetch response, and creates each on access. */
class FetchedRecord implements ConsumerRecord {
  readonly topic: string;
  readonly partition: number;
  private bytes: Buffer;
  private keyAt: number;
  private valueAt: number;
  private headersAt: number;
  private keyLength: number;
  private valueLength: number;

  constructor(
    set: EncodedRecords,
    readonly offset: number,
    readonly timestamp: number,
  ) {
    this.topic = set.topic;
    this.partition = set.partition;
  }

  /** Reads the positions of key, value and headers in the response. The reader must be at the length of the key. */
  at(reader: ByteReader): this {
    this.bytes = reader.bytes;
    this.keyLength = reader.varint();
    this.keyAt = reader.offset;
    reader.skip(Math.max(this.keyLength, 0));
    this.valueLength = reader.varint();
    this.valueAt = reader.offset;
    reader.skip(Math.max(this.valueLength, 0));
    this.headersAt = reader.offset;
    return this;
  }

  get key(): Buffer | null {
    return this.keyLength < 0 ? null : this.bytes.subarray(this.keyAt, this.keyAt + this.keyLength);
  }

  get value(): Buffer | null {
    return this.valueLength < 0 ? null : this.bytes.subarray(this.valueAt, this.valueAt + this.valueLength);
  }

  get headers(): Record<string, Buffer | undefined> {
    const headers: Record<string, Buffer | undefined> = Object.create(null) as Record<string, undefined>;
    const reader = new ByteReader(this.bytes);
    reader.skip(this.headersAt);
    const count = reader.varint();
    for (let i = 0; i < count; i++) {
      const name = reader.sizedBytes()?.toString() ?? '';
      headers[name] = reader.sizedBytes() ?? undefined;
    }
    return headers;
  }

  /**
   * Returns one header without creating the others.
   * @throws RangeError if the headers are damaged
   */
  header(name: string): Buffer | undefined {
    const reader = new ByteReader(this.bytes);
    reader.skip(this.headersAt);
    for (let left = reader.varint(); left > 0; left--) {
      const length = reader.varint();
      const end = reader.offset + Math.max(length, 0);
      // Most other names differ in length, so no text is created for them.
      const isIt = length === name.length && this.bytes.toString('latin1', reader.offset, end) === name;
      reader.offset = end;
      const value = reader.sizedBytes();
      if (isIt) return value ?? undefined;
    }
    return undefined;
  }
}

/** Returns one header; undefined if it is missing or the headers are damaged. Much cheaper than `record.headers`. */
export function headerOf(record: ConsumerRecord, name: string): Buffer | undefined {
  if (!(record instanceof FetchedRecord)) return record.headers[name];
  try {
    return record.header(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Hides record batches of aborted transactions and control batches from a read-committed consumer. */
class AbortedTransactionFilter {
  private readonly waiting: AbortedTransaction[];
  private readonly aborted = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.waiting = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  }

  /** Whether a read-committed consumer gets this record batch. The content of control records is never compressed. */
  visible(header: BatchHeader, bytes: Buffer): boolean {
    while (this.waiting[0] && this.waiting[0].firstOffset <= header.lastOffset) {
      this.aborted.add((this.waiting.shift() as AbortedTransaction).producerId);
    }
    if (header.attributes & control) {
      if (markerType(bytes) === abortMarker) this.aborted.delete(header.producerId);
      return false;
    }
    return !(header.attributes & transactional && this.aborted.has(header.producerId));
  }
}

/** Returns the type of a control record, whose key is an INT16 version and an INT16 type. */
function markerType(bytes: Buffer): number | undefined {
  const reader = new ByteReader(bytes);
  reader.varint();
  reader.skip(1);
  reader.varint();
  reader.varint();
  const key = reader.sizedBytes();
  return key && key.length >= 4 ? key.readInt16BE(2) : undefined;
}
