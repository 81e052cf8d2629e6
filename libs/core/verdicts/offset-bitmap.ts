/**
 * A set of offsets within one offset range, as one bit for each offset. The index of an offset is its distance from the
 * first offset of the range. The bytes end with the last byte that has a set bit.
 */
export type OffsetBitmap = Uint8Array;

export const noOffsets: OffsetBitmap = new Uint8Array(0);

/** Returns whether the set contains the offset with this index. */
export function hasIndex(bitmap: OffsetBitmap, index: number): boolean {
  return ((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** Returns the set with the offsets of these indexes added. */
export function withIndexes(bitmap: OffsetBitmap, indexes: readonly number[]): OffsetBitmap {
  if (indexes.length === 0) return bitmap;
  const last = indexes.reduce((most, index) => Math.max(most, index), 0);
  const result = new Uint8Array(Math.max(bitmap.length, (last >> 3) + 1));
  result.set(bitmap);
  for (const index of indexes) result[index >> 3]! |= 1 << (index & 7);
  return result;
}

/** Returns a set with the indexes below `index` from `first`, and all other indexes from `second`. */
export function joinedAt(index: number, first: OffsetBitmap, second: OffsetBitmap): OffsetBitmap {
  const result = new Uint8Array(Math.max(Math.min(first.length, (index + 7) >> 3), second.length));
  for (let byte = 0; byte < result.length; byte++) {
    const mask = index >= (byte + 1) * 8 ? 0xff : index <= byte * 8 ? 0 : (1 << (index - byte * 8)) - 1;
    result[byte] = ((first[byte] ?? 0) & mask) | ((second[byte] ?? 0) & ~mask);
  }
  return trimmed(result);
}

export function isSameBitmap(one: OffsetBitmap, other: OffsetBitmap): boolean {
  return Buffer.compare(trimmed(one), trimmed(other)) === 0;
}

function trimmed(bitmap: OffsetBitmap): OffsetBitmap {
  let length = bitmap.length;
  while (length > 0 && bitmap[length - 1] === 0) length--;
  return length === bitmap.length ? bitmap : bitmap.slice(0, length);
}
