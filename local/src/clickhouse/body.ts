import type { IncomingMessage } from 'node:http';
import { createWriteStream } from 'node:fs';
import { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { LocalClickHouseRequestError, code } from './errors.js';

/**
 * Returns the request's body as streams that decompress it and fail above `maxBytes`. @throws LocalClickHouseRequestError for
 * an unknown Content-Encoding.
 */
function decoded(request: IncomingMessage, maxBytes: number): { source: Readable; steps: Transform[] } {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return { source: request, steps: [limit(maxBytes)] };
  if (encoding !== 'gzip') {
    throw new LocalClickHouseRequestError(
      code.notImplemented,
      'NOT_IMPLEMENTED',
      `The embedded ClickHouse does not support Content-Encoding ${JSON.stringify(encoding)}`,
    );
  }
  return { source: request, steps: [createGunzip(), limit(maxBytes)] };
}

function nothing(): { source: Readable; steps: Transform[] } {
  return { source: Readable.from([]), steps: [] };
}

function limit(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= maxBytes) return done(null, chunk);
      done(
        new LocalClickHouseRequestError(
          code.tooManyBytes,
          'TOO_MANY_BYTES',
          `The request's body is larger than ${maxBytes} bytes`,
        ),
      );
    },
  });
}

/** Reads the whole body into memory. @throws LocalClickHouseRequestError if the body is too large or malformed. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { source, steps } = decoded(request, maxBytes);
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await asClickHouseError(pipeline([source, ...steps, collect]));
  return Buffer.concat(chunks);
}

/** The file to which an HTTP body is written, and its size limit. */
interface SpoolOptions {
  file: string;
  /** Bytes written before the body. */
  first: Buffer;
  maxBytes: number;
}

/**
 * Writes the decompressed body of an INSERT request to a file, so that a large insert takes no memory. Resolves with
 * the size of the file in bytes.
 */
export async function spoolBody(
  request: IncomingMessage | undefined,
  options: SpoolOptions,
): Promise<number> {
  const { source, steps } = request ? decoded(request, options.maxBytes) : nothing();
  const file = createWriteStream(options.file, { highWaterMark: 1 << 20 });
  if (options.first.length > 0) file.write(options.first);
  await asClickHouseError(pipeline([source, ...steps, file]));
  return file.bytesWritten;
}

async function asClickHouseError(done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (error instanceof LocalClickHouseRequestError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LocalClickHouseRequestError(
      354,
      'INFLATE_FAILED',
      `The request's body cannot be read: ${reason}`,
    );
  }
}
