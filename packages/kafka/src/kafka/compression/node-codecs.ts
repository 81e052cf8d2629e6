import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { unzstdInJavaScript, zstdFrames, ZstdRejectedError } from '#zstd';
import { damaged, DecompressionError, tooLarge, type RecordCodec } from './record-codec.js';

type Bounds = Pick<zlib.ZlibOptions, 'maxOutputLength' | 'chunkSize'>;

/** A decompressor of `node:zlib`, on the event loop and in Node's thread pool. */
interface NodeDecompressor {
  name: string;
  sync: (content: Buffer, bounds: Bounds) => Buffer;
  inThread: (content: Buffer, bounds: Bounds) => Promise<Buffer>;
}

/** The Zstandard functions of `node:zlib`, which exist since Node 22.15. */
interface WithZstd {
  zstdCompressSync?: (
    records: Buffer,
    options: { params: Record<number, number>; pledgedSrcSize: number; chunkSize: number },
  ) => Buffer;
  zstdDecompressSync?: NodeDecompressor['sync'];
  zstdDecompress?: (
    content: Buffer,
    bounds: Bounds,
    done: (error: Error | null, bytes: Buffer) => void,
  ) => void;
}

const { zstdCompressSync, zstdDecompressSync, zstdDecompress } = zlib as WithZstd;
/** Level 1 of gzip takes half the time of Kafka's default 6 for a twentieth more bytes; Zstandard's default is 3. */
const level = 1;
/** `ZSTD_c_compressionLevel` of zstd.h. */
const levelParameter = 100;
const leastChunk = 1024;
/** Compressed bytes up to which the event loop decompresses, in about 0.1 ms; a thread adds about that much. */
const mostOnEventLoop = 32 * 1024;
/** Typical quotient of decompressed and compressed bytes; the output grows if there are more. */
const usualExpansion = 8;

const gunzip: NodeDecompressor = {
  name: 'gzip',
  sync: zlib.gunzipSync,
  inThread: promisify<Buffer, Bounds, Buffer>(zlib.gunzip),
};
const unzstd: NodeDecompressor | undefined = zstdDecompressSync &&
  zstdDecompress && { name: 'zstd', sync: zstdDecompressSync, inThread: promisify(zstdDecompress) };

/** gzip, with Node. */
export const gzipCodec: RecordCodec = {
  id: 1,
  compress: (records) => zlib.gzipSync(records, { level, chunkSize: Math.max(records.length, leastChunk) }),
  decompress: (content, maxBytes) => decompressWithNode(gunzip, content, maxBytes),
};

/**
 * Zstandard. Compresses with Node, from 22.15 on. Decompresses with Node if it can, else in JavaScript; a window of more
 * than 8 MiB, which levels from 20 on use, is rejected.
 */
export const zstdCodec: RecordCodec = {
  id: 4,
  compress(records) {
    if (!zstdCompressSync) throw new Error('zstd needs Node 22.15 or later');
    return zstdCompressSync(records, {
      params: { [levelParameter]: level },
      pledgedSrcSize: records.length,
      chunkSize: Math.max(records.length, leastChunk),
    });
  },
  decompress(content, maxBytes) {
    const frame = singleFrame(content);
    if (unzstd && frame) return decompressWithNode(unzstd, frame, maxBytes);
    return decompressInJavaScript(content, maxBytes);
  },
};

/** Decompresses with Node: small content on the event loop, the rest in a thread. */
function decompressWithNode(
  { name, sync, inThread }: NodeDecompressor,
  content: Buffer,
  maxBytes: number,
): Buffer | Promise<Buffer> {
  const chunkSize = Math.min(Math.max(content.length * usualExpansion, leastChunk), maxBytes);
  const bounds = { maxOutputLength: maxBytes, chunkSize };
  const toDecompressionError = (error: unknown): never => {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(maxBytes) : damaged(name);
  };
  if (content.length > mostOnEventLoop) return inThread(content, bounds).catch(toDecompressionError);
  try {
    return sync(content, bounds);
  } catch (error) {
    return toDecompressionError(error);
  }
}

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
    throw error instanceof DecompressionError ? error : damaged('zstd');
  }
  return Buffer.concat(blocks, bytes);
}
