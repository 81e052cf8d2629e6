import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The records of a batch cannot be read; the message says why, in words of ours. */
export class UndecodableError extends Error {
  override readonly name = 'UndecodableError';
}

/** Of one batch, and about of one fetch: far more than brokers take, far less than a gzip bomb makes. */
export const maxInflatedBytes = 64 * 1024 * 1024;

const inflateGzip = promisify(gunzip);
const codecMask = 0x07;
/** By the lowest three bits of a batch's attributes. */
const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/**
 * Takes the compression off the records of a batch. Our own are not compressed, and brokers take off what others use on
 * our topics (`compression.type`); gzip is here for topics that someone else has made.
 * @throws UndecodableError
 */
export async function inflateRecords(content: Buffer, attributes: number): Promise<Buffer> {
  const codec = codecs[attributes & codecMask] ?? 'an unknown codec';
  if (codec === 'none') return content;
  if (codec !== 'gzip') throw new UndecodableError(`compressed with ${codec}`);
  try {
    return await inflateGzip(content, { maxOutputLength: maxInflatedBytes });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new UndecodableError(tooLarge ? `inflates to more than ${maxInflatedBytes} bytes` : 'damaged gzip');
  }
}
