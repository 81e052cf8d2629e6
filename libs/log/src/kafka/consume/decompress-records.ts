import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/**
 * The records of a Kafka record batch cannot be decoded. The message is one of a few fixed texts that say why; it never
 * contains record content.
 */
export class UndecodableRecordsError extends Error {
  override readonly name = 'UndecodableRecordsError';
}

/**
 * Limit of the decompressed bytes of one batch, and about that of one fetch: far more than brokers accept, far less
 * than a gzip bomb produces.
 */
export const maxDecompressedBytes = 64 * 1024 * 1024;

const inflateGzip = promisify(gunzip);
const codecMask = 0x07;
/** Names of the codecs, by the lowest three bits of the attributes of a batch. */
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/**
 * Decompresses the records of a batch. Records of this producer are not compressed, and brokers decompress the records
 * of other producers in topics that this log has created (`compression.type`). gzip is supported for topics of others.
 * @throws UndecodableRecordsError if the codec is not supported, or the content is damaged or too large
 */
export async function decompressRecords(content: Buffer, attributes: number): Promise<Buffer> {
  const codec = codecs[attributes & codecMask] ?? 'an unknown codec';
  if (codec === 'none') return content;
  if (codec !== 'gzip') throw new UndecodableRecordsError(`compressed with ${codec}`);
  try {
    return await inflateGzip(content, { maxOutputLength: maxDecompressedBytes });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UndecodableRecordsError(
      tooLarge ? `inflates to more than ${maxDecompressedBytes} bytes` : 'damaged gzip',
    );
  }
}
