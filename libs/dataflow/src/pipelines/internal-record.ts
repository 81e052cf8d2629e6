import { pipelineLimits } from '../flow/limits.js';

const { recordBytes } = pipelineLimits;

/** Error detail for an event that is too large for the repartition topic between two stages. */
export const recordTooLarge = `an event between operators takes at most ${recordBytes} bytes`;

/**
 * Returns whether a record value is larger than an internal topic accepts. Bytes are counted only if the number of
 * characters makes that possible.
 */
export function isTooLargeRecord(value: string): boolean {
  return value.length * 3 > recordBytes && Buffer.byteLength(value) > recordBytes;
}
