/** Largest window that a receiver of `Content-Encoding: zstd` must support, in bytes (RFC 9659). */
const mostWindow = 8 * 1024 * 1024;
const mostBlock = 128 * 1024;
/**
 * Maximum number of bytes that the decoder moves for one call, as it moves its window at every block: 128 blocks at the
 * largest window.
 */
const mostMoved = 1024 * 1024 * 1024;
/** Minimum number of moved bytes that each block counts. */
const leastMoved = 64 * 1024;

const magic = 0xfd2fb528;
/** The first of the sixteen magic numbers with which skippable frames begin. Skippable frames have no content. */
const skippable = 0x184d2a50;
const reservedBlock = 3;
const rleBlock = 1;

/** Zstandard data is rejected without being decompressed; the message says why. */
export class ZstdRejectedError extends Error {
  override readonly name = 'ZstdRejectedError';
}

/** Byte positions of one Zstandard frame and of its blocks. */
export interface ZstdFrameBoundaries {
  start: number;
  /**
   * End position of each block of the frame. The first block of a frame includes the frame header; the end of the last
   * block is the end of the frame.
   */
  ends: number[];
}

/**
 * Returns the frames of Zstandard data (RFC 8878, section 3.1.1) without decompressing them, and bounds the cost of
 * decompressing them.
 *
 *     magic (4) | descriptor (1) | window (0, 1) | dictionary id (0, 1, 2, 4) | content size (0, 1, 2, 4, 8)
 *     block: last (1 bit) type (2 bits) size (21 bits) | content … | checksum (0, 4)
 *
 * @throws ZstdRejectedError
 */
export function zstdFrames(bytes: Buffer): ZstdFrameBoundaries[] {
  const frames: ZstdFrameBoundaries[] = [];
  let left = mostMoved;
  for (let at = 0; at < bytes.length;) {
    const number = uint(bytes, at, 4);
    if ((number & ~0xf) >>> 0 === skippable) {
      at += 8 + uint(bytes, at + 4, 4);
      if (at > bytes.length) throw ended();
      continue;
    }
    if (number !== magic) throw new ZstdRejectedError('it does not begin with the magic number of a frame');
    const header = headerAt(bytes, at);
    const moved = Math.max(header.window, leastMoved);
    const ends = blockEnds(bytes, header, Math.floor(left / moved));
    left -= moved * ends.length;
    frames.push({ start: at, ends });
    at = ends.at(-1)!;
  }
  return frames;
}

interface FrameHeader {
  window: number;
  /** Position of the first block. */
  end: number;
  checksumBytes: number;
}

function headerAt(bytes: Buffer, start: number): FrameHeader {
  const descriptor = uint(bytes, start + 4, 1);
  const isSingle = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const sizeAt = start + (isSingle ? 5 : 6) + dictionary;
  if (uint(bytes, sizeAt - dictionary, dictionary) > 0)
    throw new ZstdRejectedError('it was compressed with a dictionary');
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const size = uint(bytes, sizeAt, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const window = isSingle ? size : windowOf(uint(bytes, start + 5, 1));
  if (window > mostWindow) throw new ZstdRejectedError('its window is larger than 8 MiB (RFC 9659)');
  return { window, end: sizeAt + sizeBytes, checksumBytes: (descriptor & 4) === 0 ? 0 : 4 };
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function blockEnds(bytes: Buffer, { end, checksumBytes }: FrameHeader, most: number): number[] {
  const ends: number[] = [];
  for (let at = end; ends.length < most;) {
    const header = uint(bytes, at, 3);
    const [isLast, type, size] = [(header & 1) === 1, (header >> 1) & 3, header >> 3];
    if (type === reservedBlock || size > mostBlock)
      throw new ZstdRejectedError('it has a block that is not valid');
    at += 3 + (type === rleBlock ? 1 : size) + (isLast ? checksumBytes : 0);
    if (at > bytes.length) throw ended();
    ends.push(at);
    if (isLast) return ends;
  }
  throw new ZstdRejectedError('it has too many blocks for the size of its window');
}

function uint(bytes: Buffer, at: number, length: number): number {
  if (at + length > bytes.length) throw ended();
  let value = 0;
  for (let i = length - 1; i >= 0; i--) value = value * 256 + bytes[at + i]!;
  return value;
}

function ended(): ZstdRejectedError {
  return new ZstdRejectedError('it ends early');
}
