import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BodyMemoryBudget, BodyMemoryShare } from './collect-body.js';
import { BodyDecompressor } from './body-decompressor.js';
import { unzstd, unzstdInJavaScript } from '#zstd';
import { zstd, zstdBomb, zstdFrame } from '../../../../packages/zstd/src/zstd.fixture.js';

const mib = 1024 * 1024;
/** Twelve lines, compressed by `zstd -19`. */
const compressed = Buffer.from(
  'KLUv/QRo1QIA1AN7ImFtb3VudCI6MSwiY2l0eSI6IlrDvHJpY2giLCJub3RlIjoiYXMgYmVmb3JlIn0KMjM0NTY3ODkxMDEyDKAQ2Oz/PbAzBx+Pbo0SKSpKpKioUUQOurUUadTIjg==',
  'base64',
);
const lines = Array.from(
  { length: 12 },
  (_, i) => `{"amount":${i + 1},"city":"Zürich","note":"as before"}\n`,
).join('');

type Unzstd = (sent: Buffer) => Readable;

describe.each<[string, Unzstd]>([
  ['with the default implementation', (sent) => unzstd(sent, { chunkSize: 65_536 })],
  ['in JavaScript', unzstdInJavaScript],
])('a Zstandard body, decompressed %s,', (_name, open) => {
  async function text(sent: Buffer): Promise<string> {
    const found: Buffer[] = [];
    for await (const chunk of open(sent)) found.push(chunk as Buffer);
    return Buffer.concat(found).toString();
  }

  it('becomes the original text', async () => {
    expect(await text(compressed)).toBe(lines);
  });

  it('may have several frames, including empty and skippable ones', async () => {
    const nothing = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
    expect(await text(Buffer.concat([zstd('a'), nothing, compressed, zstd(''), zstd('b')]))).toBe(
      `a${lines}b`,
    );
  });

  it('may have more text than fits into its window', async () => {
    const block = Buffer.from('0123456789abcdef'.repeat(4096));
    expect(
      await text(
        zstdFrame(
          Array.from({ length: 20 }, () => block),
          { windowLog: 16 },
        ),
      ),
    ).toBe(block.toString().repeat(20));
  });

  it.each<[string, Buffer]>([
    ['with a window of 2 GiB', zstdFrame([Buffer.from('{}')], { windowLog: 31 })],
    ['with a window of 16 MiB', zstdFrame([Buffer.from('{}')], { windowLog: 24 })],
    ['with a million empty blocks', zstdFrame(Array.from({ length: mib }, () => Buffer.alloc(0)))],
    [
      'with small blocks in a large window',
      zstdFrame(
        Array.from({ length: 200 }, () => Buffer.from(' ')),
        { windowLog: 23 },
      ),
    ],
    ['with a million empty frames', Buffer.concat(Array.from({ length: mib }, () => zstd('')))],
    ['with a block of 2 MiB', zstdFrame([{ byte: 0x20, times: 2 * mib - 1 }])],
    ['with a dictionary', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, 7, 2, 0x11, 0, 0, 0x7b, 0x7d])],
    ['that is not Zstandard', Buffer.from('{"a":1}')],
    ['that is gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
    ['with text after its end', Buffer.concat([compressed, Buffer.from('{}')])],
  ])('%s is rejected', async (...row) => {
    await expect(text(row[1])).rejects.toThrow();
  });

  it('is rejected wherever it is truncated', async () => {
    for (let end = 1; end < compressed.length; end++)
      await expect(text(compressed.subarray(0, end))).rejects.toThrow();
  });

  it('does no harm if any of its bytes is changed', async () => {
    for (let at = 0; at < compressed.length; at++)
      for (const bits of [1, 0xff]) {
        const changed = Buffer.from(compressed);
        changed[at]! ^= bits;
        const read = await text(changed).catch(() => '');
        expect(read.length).toBeLessThan(mib);
      }
  });
});

describe('a Zstandard bomb', () => {
  it('ends at the limit and does not block the event loop', async () => {
    let turns = 0;
    let over = false;
    const others = (async () => {
      for (; !over; turns++) await setImmediate();
    })();
    const inflation = new BodyDecompressor();
    const share = new BodyMemoryShare(new BodyMemoryBudget(64 * mib));
    const bomb = inflation.inflate(zstdBomb(1000), 'zstd', { share, limit: 16 * mib });
    await expect(bomb).rejects.toMatchObject({ code: 'payload_too_large' });
    over = true;
    await others;
    expect(turns).toBeGreaterThan(1);
  });
});
