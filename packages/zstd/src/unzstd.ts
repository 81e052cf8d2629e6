import { Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { TimeSlice } from '#async';
import { zstdFrames } from './zstd-frames.js';

/** The Zstandard function of `node:zlib`, which exists since Node 22.15. */
interface WithZstd {
  createZstdDecompress?: (options: object) => Transform;
}

/**
 * Returns a stream of decompressed Zstandard data. Node decompresses it off the event loop if it can. If Node cannot,
 * JavaScript decompresses the data on the event loop and yields between blocks. Node reads only the first
 * frame, so data of several frames is always decompressed in JavaScript.
 */
export function unzstd(sent: Buffer, options: { chunkSize: number }): Readable {
  const { createZstdDecompress } = zlib as WithZstd;
  return Readable.from(
    createZstdDecompress ? unpacked(sent, () => createZstdDecompress(options)) : inTurns(sent),
  );
}

async function* unpacked(sent: Buffer, open: () => Transform): AsyncGenerator<Uint8Array, void> {
  const [first, ...others] = zstdFrames(sent);
  if (!first || others.length > 0) return yield* inTurns(sent);
  const decoder = open();
  decoder.end(sent.subarray(first.start, first.ends.at(-1)));
  yield* decoder;
}

/**
 * Returns a stream of Zstandard data that JavaScript decompresses, yielding to the event loop between blocks.
 * Checksums are not verified.
 */
export function unzstdInJavaScript(sent: Buffer): Readable {
  return Readable.from(inTurns(sent));
}

async function* inTurns(sent: Buffer): AsyncGenerator<Uint8Array, void> {
  const turn = new TimeSlice();
  for (const { start, ends } of zstdFrames(sent)) {
    let unpacked: Uint8Array[] = [];
    const decoder = new Decompress((block) => unpacked.push(block));
    for (let i = 0; i < ends.length; i++) {
      decoder.push(sent.subarray(ends[i - 1] ?? start, ends[i]), i === ends.length - 1);
      const blocks = unpacked.filter(({ length }) => length > 0);
      yield* blocks;
      unpacked = [];
      if (turn.over(blocks.reduce((sum, { length }) => sum + length, 0))) await turn.end();
    }
  }
}
