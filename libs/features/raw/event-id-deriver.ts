import { createHash } from 'node:crypto';
import { uuidOfBytes } from '#event';

/** What the event ids of a request are derived from: the stream, the query parameters, and the body. */
interface DerivedIdSource {
  mapping: { stream: string; text: Readonly<Record<string, string>> };
  /** Body of the request after decompression. */
  body: Buffer;
}

/**
 * Derives event ids for the values of a request that have none, so that a repeated request has the same ids and is
 * stored once. An id is a UUID of version 8 (RFC 9562) from a SHA-256 of the stream, the query parameters and the body.
 * The index of the value is added to the last 32 bits.
 */
export class EventIdDeriver {
  private prefix = '';
  private last = 0;

  constructor(private readonly source: DerivedIdSource) {}

  of(index: number): string {
    if (this.prefix === '') this.make();
    return this.prefix + ((this.last + index) >>> 0).toString(16).padStart(8, '0');
  }

  private make(): void {
    const { mapping, body } = this.source;
    const query = JSON.stringify([mapping.stream, mapping.text]);
    const digest = createHash('sha256').update(query).update(body).digest();
    this.prefix = uuidOfBytes(digest, 8).slice(0, 28);
    this.last = digest.readUInt32BE(12);
  }
}
