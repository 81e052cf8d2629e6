import { DecompressionError, tooLarge } from './record-codec.js';

/** Options of the decompressing functions of `node:zlib` that this adapter uses. */
export interface ZlibBounds {
  maxOutputLength: number;
  chunkSize: number;
}

/** One codec of `node:zlib`, on the event loop and in Node's thread pool. */
export interface NodeZlibDecompressor {
  name: string;
  sync: (content: Buffer, bounds: ZlibBounds) => Buffer;
  inThread: (content: Buffer, bounds: ZlibBounds) => Promise<Buffer>;
}

/**
 * Compressed bytes up to which the event loop decompresses: about a tenth of a millisecond for records. A thread adds
 * about that much to each batch.
 */
const mostOnEventLoop = 32 * 1024;
/** Typical quotient of decompressed and compressed bytes; the output grows if there are more. */
const usualExpansion = 8;
const leastChunk = 1024;

/**
 * Decompresses with Node: small content on the event loop, the rest in a thread.
 * @throws DecompressionError if the content is damaged or decompresses to more than `maxBytes`
 */
export function decompressWithNode(
  { name, sync, inThread }: NodeZlibDecompressor,
  content: Buffer,
  maxBytes: number,
): Buffer | Promise<Buffer> {
  const chunkSize = Math.min(Math.max(content.length * usualExpansion, leastChunk), maxBytes);
  const bounds = { maxOutputLength: maxBytes, chunkSize };
  const toDecompressionError = (error: unknown): never => {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(maxBytes) : new DecompressionError(`damaged ${name}`);
  };
  if (content.length > mostOnEventLoop) return inThread(content, bounds).catch(toDecompressionError);
  try {
    return sync(content, bounds);
  } catch (error) {
    return toDecompressionError(error);
  }
}
