import { Readable } from 'node:stream';

/** Bytes of a body that are written to a connection at a time. */
export const pieceBytes = 64 * 1024;

/**
 * Returns a stream of a body in pieces. The connection then buffers only one piece at a time, so its progress shows how
 * much the client has read.
 */
export function inPieces(body: Buffer): Readable {
  return Readable.from(pieces(body), { objectMode: false });
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}
