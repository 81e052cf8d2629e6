import type { Readable } from 'node:stream';
import { ProblemError } from '#api';
import type { BodyMemoryShare } from './body-memory-budget.js';

/** Limits while one request body is read: its own maximum size, and its share of the body budget. */
export interface BodyLimits {
  share: BodyMemoryShare | undefined;
  /** Maximum size of the body in bytes. */
  limit: number;
}

/**
 * Reads the stream of a request body to its end and returns its bytes. Each chunk counts in the body budget as soon as
 * it arrives.
 * @throws ProblemError `payload_too_large`, `overloaded`, or `request_timeout` when the stream closes before its end
 */
export function collectBody(payload: Readable, { share, limit }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: Error): void => {
      chunks.length = 0;
      // Discard the rest of the body: a client that still sends would not read the answer.
      payload.removeListener('data', onData).resume();
      share?.end();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) return fail(tooLarge(limit));
      try {
        share?.take(chunk.length);
      } catch (error) {
        return fail(error as Error);
      }
      chunks.push(chunk);
    };
    const onCut = (): void => fail(incomplete());
    payload.on('data', onData);
    payload.once('error', onCut);
    payload.once('close', onCut);
    payload.once('end', () => {
      payload.removeListener('close', onCut);
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    });
  });
}

export function tooLarge(limit: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The body of this route may have at most ${limit} bytes after decompression.`,
  );
}

export function incomplete(): ProblemError {
  return new ProblemError('request_timeout', 'The connection ended before the whole body had arrived.');
}
