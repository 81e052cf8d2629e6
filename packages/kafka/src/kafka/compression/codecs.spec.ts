import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zstdFrame } from '../../../../zstd/src/zstd.fixture.js';
import { canCompressWithZstd, codecOf, codecOfBatch, type KafkaCompression } from './codecs.js';
import { DecompressionError } from './record-codec.js';

const mib = 1024 * 1024;
const names: KafkaCompression[] = [
  'gzip',
  'snappy',
  'lz4',
  ...(canCompressWithZstd ? ['zstd' as const] : []),
];

/** Bytes of every kind: random ones, repetitive ones, and mixtures that are longer than one block of each codec. */
const someBytes = fc.oneof(
  fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 2_000 }))
    .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes))),
);

describe.each(names)('records compressed with %s', (name) => {
  const codec = codecOf(name)!;
  const roundTrip = async (bytes: Buffer, maxBytes = 64 * mib): Promise<Buffer> =>
    codec.decompress(codec.compress(bytes), maxBytes);

  it('decompress to the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(someBytes, async (bytes) => {
        expect((await roundTrip(bytes)).equals(bytes)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['no bytes', Buffer.alloc(0)],
    ['incompressible bytes', randomBytes(mib)],
    ['more bytes than the event loop decompresses', Buffer.from(randomBytes(100_000).toString('hex'))],
    ['a repeated byte', Buffer.alloc(3 * mib, 'x')],
  ])('may be %s', async (_what, bytes) => {
    expect((await roundTrip(bytes)).equals(bytes)).toBe(true);
  });

  it('are the same for the same bytes, so that a retried batch is the first one', () => {
    const bytes = Buffer.from(randomBytes(20_000).toString('hex'));
    expect(codec.compress(bytes).equals(codec.compress(bytes))).toBe(true);
  });

  it('are rejected if they decompress to more than allowed, and accepted if not', async () => {
    const bytes = Buffer.alloc(10 * mib, 'event');
    expect((await roundTrip(bytes, 16 * mib)).length).toBe(10 * mib);
    await expect(async () => roundTrip(bytes, 5 * mib)).rejects.toThrow(
      'inflates to more than 5242880 bytes',
    );
  });

  it('are rejected if they are cut off or changed to something that is not valid', async () => {
    const compressed = codec.compress(Buffer.from(randomBytes(10_000).toString('hex')));
    for (const at of [1, 5, 20, compressed.length - 1]) {
      await expect(async () => codec.decompress(compressed.subarray(0, at), mib)).rejects.toThrow(
        DecompressionError,
      );
    }
    await expect(async () => codec.decompress(Buffer.from('not compressed'), mib)).rejects.toThrow(
      DecompressionError,
    );
  });

  it('never fail with anything but a DecompressionError, whatever a foreign producer sends', async () => {
    const compressed = codec.compress(Buffer.from('{"event":1}'.repeat(500)));
    await fc.assert(
      fc.asyncProperty(fc.nat(compressed.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(compressed);
        changed[at] = byte;
        try {
          expect((await codec.decompress(changed, mib)).length).toBeLessThanOrEqual(mib);
        } catch (error) {
          expect(error).toBeInstanceOf(DecompressionError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are recognized by the attributes of their batch, whatever its other attributes', () => {
    expect(codecOfBatch(codec.id | 0x18)).toBe(codec);
  });
});

describe('records compressed by others', () => {
  it('may be one block of Snappy without a header, as librdkafka writes it', async () => {
    const literal = Buffer.from([5, 4 << 2, ...Buffer.from('hello')]);
    expect(String(await codecOf('snappy')!.decompress(literal, 100))).toBe('hello');
  });

  it.each([
    ['in one block of Snappy', Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0])],
    [
      'in many blocks of Snappy',
      Buffer.concat([
        codecOf('snappy')!.compress(Buffer.alloc(0)),
        ...Array.from({ length: 3 }, () => Buffer.from([0, 0, 0, 4, 0x80, 0x80, 0x80, 1])),
      ]),
    ],
  ])('are rejected before memory is allocated if they claim too many bytes %s', async (_how, content) => {
    await expect(async () => codecOf('snappy')!.decompress(content, mib)).rejects.toThrow('inflates to more');
  });

  it('may have larger blocks of LZ4 than this producer writes', async () => {
    const compressed = Buffer.from(codecOf('lz4')!.compress(Buffer.from('a')));
    expect(String(await codecOf('lz4')!.decompress(compressed, mib))).toBe('a');
    await expect(async () =>
      codecOf('lz4')!.decompress(Buffer.concat([compressed, compressed]), mib),
    ).rejects.toThrow('damaged lz4');
  });

  it('may be Zstandard on every Node, in one frame or several', async () => {
    const [first, second] = [zstdFrame([Buffer.from('one ')]), zstdFrame([Buffer.from('two')])];
    expect(String(await codecOf('zstd')!.decompress(first, mib))).toBe('one ');
    expect(String(await codecOf('zstd')!.decompress(Buffer.concat([first, second]), mib))).toBe('one two');
  });

  it('are rejected if their Zstandard window is too large', async () => {
    const content = zstdFrame([Buffer.from('{}')], { windowLog: 24 });
    await expect(async () => codecOf('zstd')!.decompress(content, mib)).rejects.toThrow(
      'zstd: its window is larger than 8 MiB (RFC 9659)',
    );
  });
});

describe('the codec of a batch', () => {
  it('is none without compression, and unknown for the codecs that Kafka has not defined', () => {
    expect(codecOfBatch(0x10)).toBe('none');
    expect([5, 6, 7].map(codecOfBatch)).toEqual([undefined, undefined, undefined]);
  });
});
