import { codecOfBatch } from '../compression/codecs.js';
import { DecompressionError } from '../compression/record-codec.js';

/**
 * The records of a Kafka record batch cannot be decoded. The message is one of a few fixed texts that say why; it never
 * contains record content.
 */
export class UndecodableRecordsError extends Error {
  override readonly name = 'UndecodableRecordsError';
}

/**
 * Limit of the decompressed bytes of one batch, and about that of one fetch: far more than brokers accept, far less
 * than a decompression bomb produces.
 */
export const maxDecompressedBytes = 64 * 1024 * 1024;

/**
 * Decompresses the records of a batch. Returns the same buffer if they are not compressed.
 * @throws UndecodableRecordsError if the codec is unknown, or the content is damaged or too large
 */
export function decompressRecords(content: Buffer, attributes: number): Buffer | Promise<Buffer> {
  const codec = codecOfBatch(attributes);
  if (codec === 'none') return content;
  if (!codec) throw new UndecodableRecordsError('compressed with an unknown codec');
  return decompressed(() => codec.decompress(content, maxDecompressedBytes));
}

async function decompressed(decompress: () => Buffer | Promise<Buffer>): Promise<Buffer> {
  try {
    return await decompress();
  } catch (error) {
    throw error instanceof DecompressionError ? new UndecodableRecordsError(error.message) : error;
  }
}
