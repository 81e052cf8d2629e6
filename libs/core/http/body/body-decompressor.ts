import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '#api';
import { collectBody, incomplete, type BodyLimits } from './collect-body.js';
import { unzstd } from '#zstd';

/** Compression of a request body. */
export type BodyCompression = 'gzip' | 'zstd';

/** Number of bodies that are decompressed at the same time: Node's thread pool has four threads. */
const concurrency = 4;
/** Maximum number of compressed bodies that wait to be decompressed. */
const mostWaiting = 256;

/**
 * Decompresses a few bodies at a time, so that many small decompression bombs cannot use up the body budget together.
 */
export class BodyDecompressor {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /**
   * Decompresses a body without blocking the event loop. Each decompressed chunk is added to the body's share of the memory
   * budget. Decompression stops at the first chunk that exceeds the body's limit or the budget.
   * @throws ProblemError `invalid_request` (the bytes are not of this compression), `payload_too_large`, `overloaded`
   */
  async inflate(sent: Buffer, compression: BodyCompression, bounds: BodyLimits): Promise<Buffer> {
    if (this.running < concurrency) this.running++;
    else if (this.waiting.length < mostWaiting)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    else throw new ProblemError('overloaded', 'Too many compressed bodies are waiting.');
    try {
      if (bounds.share?.hasEnded) throw incomplete();
      return await inflated(sent, compression, bounds);
    } finally {
      // The body that has waited longest takes over the slot.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

async function inflated(sent: Buffer, compression: BodyCompression, bounds: BodyLimits): Promise<Buffer> {
  const options = { chunkSize: Math.min(64 * 1024, bounds.limit) };
  const gunzip = compression === 'gzip' ? createGunzip(options).end(sent) : undefined;
  const unpacked: Readable = gunzip ?? unzstd(sent, options);
  let invalid = false;
  unpacked.once('error', () => (invalid = true));
  try {
    const body = await collectBody(unpacked, bounds);
    // Node ends at a zero byte after a member as if it were padding. RFC 1952 (section 2.2) allows only further members.
    if (gunzip && gunzip.bytesWritten < sent.length) {
      const detail = `The body is not valid gzip: bytes that are no further member follow byte ${gunzip.bytesWritten}.`;
      throw new ProblemError('invalid_request', detail);
    }
    // The compressed bytes are no longer needed.
    bounds.share?.giveBack(sent.length);
    return body;
  } catch (error) {
    throw invalid ? new ProblemError('invalid_request', `The body is not valid ${compression}.`) : error;
  } finally {
    unpacked.destroy();
  }
}
