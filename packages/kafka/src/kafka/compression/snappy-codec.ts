import { compressSync, uncompressSync } from 'snappy';
import { damaged, tooLarge, type RecordCodec } from './record-codec.js';

/**
 * Start of the format that Kafka's own producer writes (snappy-java's `SnappyOutputStream`): magic, version and
 * compatible version. Blocks follow, each an INT32 size and that many bytes in the Snappy format.
 */
const header = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
const magicBytes = 8;
/** Snappy looks for repetitions within 64 KiB, so larger blocks save nothing. */
const blockBytes = 64 * 1024;

/** Snappy in blocks. Producers such as librdkafka write one block without a header, which is read, too. */
export const snappyCodec: RecordCodec = {
  id: 2,
  compress(records) {
    const parts: Buffer[] = [header];
    for (let at = 0; at < records.length; at += blockBytes) {
      const block = compressSync(records.subarray(at, at + blockBytes));
      const size = Buffer.allocUnsafe(4);
      size.writeInt32BE(block.length);
      parts.push(size, block);
    }
    return Buffer.concat(parts);
  },
  decompress(content, maxBytes) {
    const blocks = blocksOf(content);
    const total = blocks.reduce((sum, block) => sum + uncompressedBytes(block), 0);
    if (total > maxBytes) throw tooLarge(maxBytes);
    try {
      const parts = blocks.map((block) => uncompressSync(block, { asBuffer: true }) as Buffer);
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    } catch {
      throw damaged('snappy');
    }
  },
};

function blocksOf(content: Buffer): Buffer[] {
  if (!content.subarray(0, magicBytes).equals(header.subarray(0, magicBytes))) return [content];
  const blocks: Buffer[] = [];
  for (let at = header.length; at < content.length;) {
    if (at + 4 > content.length) throw damaged('snappy');
    const end = at + 4 + content.readUInt32BE(at);
    if (end > content.length) throw damaged('snappy');
    blocks.push(content.subarray(at + 4, end));
    at = end;
  }
  return blocks;
}

/** Reads the number of decompressed bytes, with which a block begins: seven bits a byte, the lowest first. */
function uncompressedBytes(block: Buffer): number {
  let bytes = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block[i];
    if (byte === undefined) break;
    bytes += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return bytes;
  }
  throw damaged('snappy');
}
