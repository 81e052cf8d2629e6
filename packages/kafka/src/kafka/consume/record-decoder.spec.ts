import { describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { zstdBomb } from '../../../../zstd/src/zstd.fixture.js';
import { lz4Codec } from '../compression/lz4-codec.js';
import { snappyCodec } from '../compression/snappy-codec.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { writeRecordBatch, type EncodableRecord } from '../produce/record-batch.js';
import { decodeRecords } from './record-decoder.js';

interface BatchOptions {
  baseOffset?: number;
  attributes?: number;
  producerId?: bigint;
}

function batch(records: EncodableRecord[], options: BatchOptions = {}): Buffer {
  const out = new GrowingBuffer(16);
  writeRecordBatch(out, records, {
    producerId: options.producerId ?? -1n,
    producerEpoch: 0,
    firstSequence: 0,
    now: 0,
  });
  const bytes = Buffer.from(out.filled());
  bytes.writeBigInt64BE(BigInt(options.baseOffset ?? 0), 0);
  bytes.writeInt16BE(options.attributes ?? 0, 21);
  return withChecksum(bytes);
}

function withChecksum(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32c(bytes.subarray(21)), 17);
  return bytes;
}

const decode = (bytes: Buffer, from = 0, aborted: { producerId: bigint; firstOffset: number }[] = []) =>
  decodeRecords({ topic: 't', partition: 3, bytes, from, aborted });

const values = async (decoded: ReturnType<typeof decode>): Promise<(string | undefined)[]> =>
  (await decoded).records.map(({ value }) => value?.toString());

describe('decoding a fetch response', () => {
  it('returns keys, values, timestamps and headers', async () => {
    const bytes = batch(
      [
        {
          key: 'ключ',
          value: 'a'.repeat(300),
          timestamp: 1_700_000_000_000,
          headers: { h: 'ž', n: undefined },
        },
        { key: null, value: null, timestamp: 1_700_000_000_123 },
      ],
      { baseOffset: 5_000_000_000 },
    );
    const { records, next } = await decode(bytes);
    expect(next).toBe(5_000_000_002);
    expect(records[0]).toMatchObject({
      topic: 't',
      partition: 3,
      offset: 5_000_000_000,
      timestamp: 1_700_000_000_000,
    });
    expect(records[0]?.key?.toString()).toBe('ключ');
    expect(records[0]?.headers['h']?.toString()).toBe('ž');
    expect(records[0]?.headers['n']).toBeUndefined();
    expect(records[1]).toMatchObject({
      key: null,
      value: null,
      offset: 5_000_000_001,
      timestamp: 1_700_000_000_123,
    });
    expect(records[1]?.headers).toEqual({});
  });

  it('omits records before the requested offset', async () => {
    const bytes = batch([{ value: 'a' }, { value: 'b' }, { value: 'c' }], { baseOffset: 10 });
    expect(await values(decode(bytes, 12))).toEqual(['c']);
    expect((await decode(bytes, 13)).next).toBe(13);
  });

  it('leaves a batch that is cut off to the next fetch', async () => {
    const whole = batch([{ value: 'a' }]);
    const cut = batch([{ value: 'b' }], { baseOffset: 1 }).subarray(0, -1);
    const { records, next } = await decode(Buffer.concat([whole, cut]));
    expect(records).toHaveLength(1);
    expect(next).toBe(1);
  });

  it('continues after offsets that compaction has removed', async () => {
    const bytes = batch([{ value: 'a' }], { baseOffset: 4 });
    bytes.writeInt32BE(9, 23);
    expect((await decode(withChecksum(bytes))).next).toBe(14);
  });

  it('omits control records and the records of aborted transactions', async () => {
    const transactional = 0x10;
    const control = 0x20;
    const abort = { key: Buffer.from([0, 0, 0, 0]), value: Buffer.alloc(6) };
    const of = (producerId: bigint, baseOffset: number, attributes = transactional) => ({
      producerId,
      baseOffset,
      attributes,
    });
    const bytes = Buffer.concat([
      batch([{ value: 'aborted' }], of(1n, 0)),
      batch([{ value: 'kept' }], of(2n, 1)),
      batch([abort], of(1n, 2, transactional | control)),
      batch([{ value: 'later' }], of(1n, 3)),
    ]);
    expect(await values(decode(bytes, 0, [{ producerId: 1n, firstOffset: 0 }]))).toEqual(['kept', 'later']);
    expect((await decode(bytes, 0, [{ producerId: 1n, firstOffset: 0 }])).next).toBe(4);
  });

  it('decodes records that other producers have compressed', async () => {
    const plain = batch([{ value: 'x'.repeat(1000) }, { value: 'y' }]);
    const compressed = Buffer.concat([plain.subarray(0, 61), gzipSync(plain.subarray(61))]);
    compressed.writeInt32BE(compressed.length - 12, 8);
    compressed.writeInt16BE(1, 21);
    expect(await values(decode(withChecksum(compressed)))).toEqual(['x'.repeat(1000), 'y']);
  });

  const compressedBy = (codec: number, plain: Buffer, content: Buffer): Buffer => {
    const bytes = Buffer.concat([plain.subarray(0, 61), content]);
    bytes.writeInt32BE(bytes.length - 12, 8);
    bytes.writeInt16BE(codec, 21);
    return withChecksum(bytes);
  };

  it('reports batches that it cannot decode, and continues after them', async () => {
    const [first, last] = [batch([{ value: 'a' }]), batch([{ value: 'z' }], { baseOffset: 7 })];
    const two = (baseOffset: number): Buffer => batch([{ value: 'b' }, { value: 'c' }], { baseOffset });
    const garbled = two(5);
    garbled.fill(0xff, 63);
    withChecksum(garbled);
    const bytes = Buffer.concat([
      first,
      compressedBy(7, two(1), Buffer.from('brotli')),
      compressedBy(1, two(3), Buffer.from('not gzip')),
      garbled,
      last,
    ]);
    const decoded = decode(bytes, 0);
    expect(await values(decoded)).toEqual(['a', 'z']);
    expect(await decoded).toMatchObject({
      next: 8,
      undecodable: [
        { offset: 1, lastOffset: 2, reason: 'compressed with an unknown codec' },
        { offset: 3, lastOffset: 4, reason: 'damaged gzip' },
        { offset: 5, lastOffset: 6, reason: 'damaged' },
      ],
    });
    expect((await decode(bytes, 2)).undecodable[0]).toMatchObject({ offset: 2, lastOffset: 2 });
  });

  const flipped = (bytes: Buffer, at: number, bit = 1): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = copy[at]! ^ bit;
    return copy;
  };
  const pair = (baseOffset: number): Buffer => batch([{ value: 'b' }, { value: 'c' }], { baseOffset });
  const damagedAt = { offset: 1, lastOffset: 2, reason: 'damaged' };

  it.each([
    ['its value', pair(1).length - 3, 1],
    ['its checksum', 17, 1],
    ['its attributes', 22, 0x20],
    ['the offset of its last record', 25, 1],
    ['its number of records', 60, 0x40],
    ['its first offset, upwards', 2, 1],
    ['its first offset, downwards', 7, 1],
  ])(
    'does not decode a batch with a flipped bit in %s, and neither skips nor repeats others',
    async (_, at, bit) => {
      const [first, last] = [batch([{ value: 'a' }]), batch([{ value: 'z' }], { baseOffset: 3 })];
      const bytes = Buffer.concat([first, flipped(pair(1), at, bit), last]);
      const decoded = decode(bytes, 0);
      expect(await values(decoded)).toEqual(['a', 'z']);
      expect(await decoded).toMatchObject({ next: 4, undecodable: [damagedAt] });
    },
  );

  it.each([
    ['its value', pair(1).length - 3, 1, 3],
    ['the offset of its last record, upwards', 24, 1, 3],
    ['the offset of its last record, downwards', 26, 1, 2],
    ['its first offset', 2, 1, 3],
  ])(
    'continues at the latest after a damaged batch at the end of a fetch, with a flipped bit in %s',
    async (...[, at, bit, next]) => {
      const bytes = Buffer.concat([batch([{ value: 'a' }]), flipped(pair(1), at, bit)]);
      const decoded = await decodeRecords({ topic: 't', partition: 3, bytes, from: 0, aborted: [], end: 9 });
      expect(decoded).toMatchObject({ next, undecodable: [{ ...damagedAt, lastOffset: next - 1 }] });
      const rest = flipped(pair(1), at, bit);
      const again = await decodeRecords({
        topic: 't',
        partition: 3,
        bytes: rest,
        from: 2,
        aborted: [],
        end: 9,
      });
      expect(again.next).toBeGreaterThan(2);
      expect(again.undecodable).toMatchObject([{ reason: 'damaged' }]);
    },
  );

  const ofEpoch = (leaderEpoch: number, bytes: Buffer): Buffer => {
    bytes.writeInt32BE(leaderEpoch, 12);
    return bytes;
  };

  it('given a damaged batch of another leader at the end of a fetch, knows the epochs before it only', async () => {
    const intact = ofEpoch(4, batch([{ value: 'a' }]));
    const damaged = ofEpoch(6, flipped(pair(1), pair(1).length - 3));
    expect(await decode(Buffer.concat([intact, damaged]))).toMatchObject({
      ...{ next: 3, epochs: [{ leaderEpoch: 4, from: 0 }], epochsUntil: 1 },
    });
    expect(await decode(damaged, 1)).toMatchObject({ next: 3, epochs: [], epochsUntil: 1 });
  });

  it('given a damaged batch between those of two leaders, counts it to the later leader', async () => {
    const [intact, last] = [ofEpoch(4, batch([{ value: 'a' }])), ofEpoch(6, pair(3))];
    const damaged = flipped(pair(1), pair(1).length - 3);
    const { epochs, epochsUntil } = await decode(Buffer.concat([intact, damaged, last]));
    expect(epochs).toEqual([
      { leaderEpoch: 4, from: 0 },
      { leaderEpoch: 6, from: 1 },
    ]);
    expect(epochsUntil).toBe(5);
  });

  it('ends at a batch whose length is impossible', async () => {
    const bytes = Buffer.concat([batch([{ value: 'a' }]), flipped(pair(1), 8, 0x80)]);
    expect(await decode(bytes)).toMatchObject({ next: 1, undecodable: [] });
  });

  const bombBytes = 65 * 1024 * 1024;
  it.each([
    ['gzip', 1, () => gzipSync(Buffer.alloc(bombBytes))],
    ['snappy', 2, () => snappyCodec.compress(Buffer.alloc(bombBytes))],
    ['lz4', 3, () => lz4Codec.compress(Buffer.alloc(bombBytes))],
    ['zstd', 4, () => zstdBomb(65)],
  ])('does not decompress a bomb of %s', async (_name, codec, content) => {
    const bomb = compressedBy(codec, batch([{ value: 'a' }]), content());
    const { undecodable, next, decompressedBytes } = await decode(bomb);
    expect(undecodable).toEqual([
      { offset: 0, lastOffset: 0, reason: 'inflates to more than 67108864 bytes' },
    ]);
    expect([next, decompressedBytes]).toEqual([1, 0]);
  });

  it('leaves the rest to the next fetch if the batches decompress to too many bytes together', async () => {
    const large = (baseOffset: number): Buffer => {
      const plain = batch([{ value: 'x'.repeat(40 * 1024 * 1024) }], { baseOffset });
      return compressedBy(1, plain, gzipSync(plain.subarray(61)));
    };
    const { records, next } = await decode(Buffer.concat([large(0), large(1), large(2)]));
    expect(records).toHaveLength(2);
    expect(next).toBe(2);
  });
});
