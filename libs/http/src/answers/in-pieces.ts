import { Readable } from 'node:stream';

/** Bytes that are handed to a connection at a time. */
export const pieceBytes = 64 * 1024;

/** Streams bytes piece by piece, so that a connection holds one piece and shows how far its client has read. */
export function inPieces(body: Buffer): Readable {
  return Readable.from(pieces(body), { objectMode: false });
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}
