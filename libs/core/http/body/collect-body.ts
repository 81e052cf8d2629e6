import type { Readable } from 'node:stream';
import { ProblemError } from '#api';
import { httpBodyBytes } from '../metrics.js';

/**
 * Bounds the bytes of request bodies that this process holds at the same time. Bytes count when they arrive, not when
 * `Content-Length` announces them, so slow clients cannot use up the budget.
 */
export class BodyMemoryBudget {
  private used = 0;

  constructor(private readonly maxBytes: number) {}

  /** Counts `bytes` in the budget. @throws ProblemError 503 `overloaded` when the budget has no room */
  take(bytes: number): void {
    if (this.used + bytes > this.maxBytes)
      throw new ProblemError('overloaded', 'Too many bytes of request bodies are in memory.');
    this.give(-bytes);
  }

  give(bytes: number): void {
    this.used -= bytes;
    httpBodyBytes.set(this.used);
  }
}

/** The bytes of the body budget that one request's body uses, from their arrival until the request ends. */
export class BodyMemoryShare {
  private bytes = 0;
  private ended = false;

  constructor(private readonly budget: BodyMemoryBudget) {}

  /** Grows the share. @throws ProblemError 503 `overloaded` when the budget has no room */
  take(bytes: number): void {
    if (this.ended) return;
    this.budget.take(bytes);
    this.bytes += bytes;
  }

  /** Returns a part of the share to the body budget before the request ends. */
  giveBack(bytes: number): void {
    if (this.ended) return;
    this.budget.give(bytes);
    this.bytes -= bytes;
  }

  /** Whether the request has ended or was rejected. */
  get hasEnded(): boolean {
    return this.ended;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.bytes > 0) this.budget.give(this.bytes);
  }
}

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
        chunks.push(chunk);
      } catch (error) {
        fail(error as Error);
      }
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
  const detail = `The body of this route may have at most ${limit} bytes after decompression.`;
  return new ProblemError('payload_too_large', detail);
}

export function incomplete(): ProblemError {
  return new ProblemError('request_timeout', 'The connection ended before the whole body had arrived.');
}
