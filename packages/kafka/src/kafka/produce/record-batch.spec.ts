import { randomBytes } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canCompressWithZstd, codecOf, type KafkaCompression } from '../compression/codecs.js';
import { decodeRecords } from '../consume/record-decoder.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { writeRecordBatch, type EncodableRecord } from './record-batch.js';

const names: KafkaCompression[] = [
  'none',
  'gzip',
  'snappy',
  'lz4',
  ...(canCompressWithZstd ? ['zstd' as const] : []),
];
const sequence = { producerId: 7n, producerEpoch: 0, firstSequence: 5, now: 1_750_000_000_000 };

function encode(records: readonly EncodableRecord[], compression: KafkaCompression): Buffer {
  const out = new GrowingBuffer(16);
  writeRecordBatch(out, records, { ...sequence, codec: codecOf(compression) });
  return Buffer.from(out.filled());
}

async function decode(bytes: Buffer) {
  const { records, undecodable } = await decodeRecords({
    topic: 't',
    partition: 0,
    bytes,
    from: 0,
    aborted: [],
  });
  expect(undecodable).toEqual([]);
  return records;
}

const events = (count: number): EncodableRecord[] =>
  Array.from({ length: count }, (_, i) => ({ key: `order-${i}`, value: `{"amount":${i},"channel":"web"}` }));
const codecIdOf = (batch: Buffer): number => batch.readInt16BE(21);

describe.each(names)('a record batch, compression %s,', (compression) => {
  it('is read back with the same records, offsets and times', async () => {
    const record = fc.record({
      key: fc.option(fc.string(), { nil: null }),
      value: fc.option(fc.string({ maxLength: 2_000 }), { nil: null }),
      timestamp: fc.integer({ min: 1_600_000_000_000, max: 1_799_999_999_999 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 50 }), async (records) => {
        const read = await decode(encode(records, compression));
        expect(
          read.map(({ key, value, timestamp, offset }) => ({
            ...{ key: key && String(key), value: value && String(value), timestamp, offset },
          })),
        ).toEqual(records.map((written, offset) => ({ ...written, offset })));
      }),
      { numRuns: 100 },
    );
  });

  it('has the length and the checksum of what is sent, and the same bytes each time', () => {
    const batch = encode(events(500), compression);
    expect(batch.readInt32BE(8)).toBe(batch.length - 12);
    expect(batch.readUInt32BE(17)).toBe(crc32c(batch.subarray(21)));
    expect(batch.equals(encode(events(500), compression))).toBe(true);
  });

  it('is never larger than without compression', () => {
    const random = [{ key: null, value: randomBytes(1_000_000) }];
    expect(encode(random, compression).length).toBeLessThanOrEqual(encode(random, 'none').length);
  });

  it('is written after what the buffer already has, and before what follows', async () => {
    const out = new GrowingBuffer(16);
    out.int32(42);
    writeRecordBatch(out, events(100), { ...sequence, codec: codecOf(compression) });
    const end = out.offset;
    writeRecordBatch(out, events(3), { ...sequence, codec: codecOf(compression) });
    expect(out.filled().readInt32BE(0)).toBe(42);
    expect(await decode(out.filled().subarray(4, end))).toHaveLength(100);
    expect(await decode(out.filled().subarray(end))).toHaveLength(3);
  });
});

describe('the compression of a record batch', () => {
  it('starts at 1 KiB of records', () => {
    const recordsOf = (length: number): EncodableRecord[] => [{ key: null, value: 'x'.repeat(length) }];
    expect([
      codecIdOf(encode(recordsOf(1_000), 'gzip')),
      codecIdOf(encode(recordsOf(1_100), 'gzip')),
    ]).toEqual([0, 1]);
  });

  it('is left out if it saves nothing', () => {
    expect(codecIdOf(encode([{ key: null, value: randomBytes(100_000) }], 'gzip'))).toBe(0);
  });

  it('makes many similar events much smaller', () => {
    const ratio = encode(events(1_000), 'gzip').length / encode(events(1_000), 'none').length;
    expect(ratio).toBeLessThan(0.25);
  });
});
