/** A block of a Zstandard frame: raw bytes, or one byte repeated `times` times. */
type ZstdBlock = Buffer | { byte: number; times: number };

/** Returns a Zstandard frame of these uncompressed blocks. The window has `2 ** windowLog` bytes. */
export function zstdFrame(blocks: readonly ZstdBlock[], { windowLog = 17 } = {}): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3]);
  return Buffer.concat([header, ...blocks.flatMap((block, i) => blockBytes(block, i === blocks.length - 1))]);
}

function blockBytes(block: ZstdBlock, isLast: boolean): Buffer[] {
  const isBytes = Buffer.isBuffer(block);
  const header = Buffer.alloc(3);
  header.writeUIntLE(
    Number(isLast) | (isBytes ? 0 : 2) | ((isBytes ? block.length : block.times) << 3),
    0,
    3,
  );
  return [header, isBytes ? block : Buffer.from([block.byte])];
}

/** Returns Zstandard data with this text, uncompressed. */
export function zstd(text: string): Buffer {
  return zstdFrame([Buffer.from(text)]);
}

/** Returns small data that decompresses to `mib` MiB of blanks. */
export function zstdBomb(mib: number): Buffer {
  return zstdFrame(Array.from({ length: mib * 8 }, () => ({ byte: 0x20, times: 128 * 1024 })));
}
