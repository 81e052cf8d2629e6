/** Records cannot be decompressed. The message is a fixed text that says why, without record content. */
export class DecompressionError extends Error {
  override readonly name = 'DecompressionError';
}

/** Compression of the records of a Kafka record batch, in the format that every Kafka client reads. */
export interface RecordCodec {
  /** Value of the lowest three bits of a batch's attributes. */
  readonly id: number;
  /**
   * Compresses the records of one batch, on the event loop: a batch has at most 1 MB, and a thread costs more than it
   * saves for most batches. Equal bytes compress to equal bytes, so a retried batch equals the first one.
   */
  compress(records: Buffer): Buffer;
  /**
   * Decompresses the records of one batch from any producer to at most `maxBytes`. Allocates no more than that for
   * content that claims or has more.
   * @throws DecompressionError if the content is damaged or decompresses to more than `maxBytes`
   */
  decompress(content: Buffer, maxBytes: number): Buffer | Promise<Buffer>;
}

/** Returns the error for content that the codec with this name cannot decompress. */
export function damaged(name: string): DecompressionError {
  return new DecompressionError(`damaged ${name}`);
}

/** Returns the error for content that decompresses to more than `maxBytes`. */
export function tooLarge(maxBytes: number): DecompressionError {
  return new DecompressionError(`inflates to more than ${maxBytes} bytes`);
}
