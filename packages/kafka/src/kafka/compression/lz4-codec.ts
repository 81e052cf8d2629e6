import { compressFrameSync, decompressFrameSync } from 'lz4-napi';
import { damaged, tooLarge, type RecordCodec } from './record-codec.js';

const magic = 0x184d2204;
/** Decompressed bytes of a full block, by bits 4 to 6 of the second byte of the frame descriptor. */
const blockSizes: Record<number, number> = {
  4: 64 * 1024,
  5: 256 * 1024,
  6: 1024 * 1024,
  7: 4 * 1024 * 1024,
};
/** One compressed byte stands for at most 255 bytes. */
const mostExpansion = 255;
const uncompressedBlock = 0x8000_0000;

/** LZ4 in its frame format. */
export const lz4Codec: RecordCodec = {
  id: 3,
  compress: (records) => compressFrameSync(records),
  decompress(content, maxBytes) {
    if (mostDecompressedBytes(content) > maxBytes) throw tooLarge(maxBytes);
    try {
      return decompressFrameSync(content);
    } catch {
      throw damaged('lz4');
    }
  },
};

/**
 * Returns an upper bound of the decompressed bytes of one LZ4 frame without decompressing it: at most one block more
 * than there are. The library has no limit of its own.
 *
 *     magic (4) | FLG (1) BD (1) | content size (0, 8) | dictionary id (0, 4) | header checksum (1)
 *     block: size (4), highest bit set if not compressed | content … | checksum (0, 4)
 *     end mark (4): 0 | content checksum (0, 4)
 *
 * https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 * @throws DecompressionError if the content is not exactly one frame
 */
function mostDecompressedBytes(content: Buffer): number {
  if (uint32(content, 0) !== magic || content.length < 7) throw damaged('lz4');
  const flags = content[4]!;
  const blockSize = blockSizes[(content[5]! >> 4) & 7];
  if (blockSize === undefined) throw damaged('lz4');
  const blockChecksum = flags & 0x10 ? 4 : 0;
  let at = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0);
  let bytes = 0;
  for (;;) {
    const size = uint32(content, at);
    at += 4;
    if (size === 0) break;
    const stored = size % uncompressedBlock;
    bytes += Math.min(size < uncompressedBlock ? stored * mostExpansion : stored, blockSize);
    at += stored + blockChecksum;
  }
  if (at + (flags & 0x04 ? 4 : 0) !== content.length) throw damaged('lz4');
  return bytes;
}

function uint32(content: Buffer, at: number): number {
  if (at + 4 > content.length) throw damaged('lz4');
  return content.readUInt32LE(at);
}
