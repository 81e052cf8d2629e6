import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { unzstdInJavaScript, zstdFrames, ZstdRejectedError } from '#zstd';
import { DecompressionError, tooLarge, type RecordCodec } from './record-codec.js';
import { decompressWithNode, type ZlibBounds, type NodeZlibDecompressor } from './zlib-decompression.js';

/** The Zstandard functions of `node:zlib`, which exist since Node 22.15. */
interface WithZstd {
  zstdCompressSync?: (
    records: Buffer,
    options: { params: Record<number, number>; pledgedSrcSize: number; chunkSize: number },
  ) => Buffer;
  zstdDecompressSync?: NodeZlibDecompressor['sync'];
  zstdDecompress?: (
    content: Buffer,
    bounds: ZlibBounds,
    done: (error: Error | null, bytes: Buffer) => void,
  ) => void;
}

const { zstdCompressSync, zstdDecompressSync, zstdDecompress } = zlib as WithZstd;
/** `ZSTD_c_compressionLevel` of zstd.h. */
const levelParameter = 100;
/** Kafka's default is 3. */
const level = 1;

const functions: NodeZlibDecompressor | undefined = zstdDecompressSync &&
  zstdDecompress && { name: 'zstd', sync: zstdDecompressSync, inThread: promisify(zstdDecompress) };

/**
 * Zstandard. Compresses with Node, from 22.15 on. Decompresses with Node if it can, else in JavaScript; a window of more
 * than 8 MiB, which levels from 20 on use, is rejected.
 */
export const zstdCodec: RecordCodec = {
  id: 4,
  compress(records) {
    if (!zstdCompressSync) throw new Error('zstd needs Node 22.15 or later');
    const chunkSize = Math.max(records.length, 1024);
    return zstdCompressSync(records, {
      params: { [levelParameter]: level },
      pledgedSrcSize: records.length,
      chunkSize,
    });
  },
  decompress(content, maxBytes) {
    const frame = singleFrame(content);
    if (functions && frame) return decompressWithNode(functions, frame, maxBytes);
    return decompressInJavaScript(content, maxBytes);
  },
};

/**
 * Returns the frame if the content has one; undefined if it has several, of which Node would read only the first.
 * @throws DecompressionError if the content is damaged, or its window is too large
 */
function singleFrame(content: Buffer): Buffer | undefined {
  try {
    const [frame, ...others] = zstdFrames(content);
    return frame && others.length === 0 ? content.subarray(frame.start, frame.ends.at(-1)) : undefined;
  } catch (error) {
    throw error instanceof ZstdRejectedError ? new DecompressionError(`zstd: ${error.message}`) : error;
  }
}

async function decompressInJavaScript(content: Buffer, maxBytes: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const block of unzstdInJavaScript(content) as AsyncIterable<Uint8Array>) {
      bytes += block.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      blocks.push(Buffer.from(block));
    }
  } catch (error) {
    throw error instanceof DecompressionError ? error : new DecompressionError('damaged zstd');
  }
  return Buffer.concat(blocks, bytes);
}
