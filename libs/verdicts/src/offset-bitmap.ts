/** A set of offsets within one range, as one bit for each offset. Its bytes end with the last bit that is set. */
export type OffsetBitmap = Uint8Array;

export const noOffsets: OffsetBitmap = new Uint8Array(0);

/** Returns whether the set has this index. */
export function hasOffset(bitmap: OffsetBitmap, index: number): boolean {
  return ((bitmap[index >> 3] ?? 0) & (1 << (index & 7))) !== 0;
}

/** Returns the set with these indexes added. */
export function withOffsets(bitmap: OffsetBitmap, indexes: readonly number[]): OffsetBitmap {
  if (indexes.length === 0) return bitmap;
  const last = indexes.reduce((most, index) => Math.max(most, index), 0);
  const result = new Uint8Array(Math.max(bitmap.length, (last >> 3) + 1));
  result.set(bitmap);
  for (const index of indexes) result[index >> 3]! |= 1 << (index & 7);
  return result;
}
