import { pipelineLimits } from '../flow/limits.js';

const { recordBytes } = pipelineLimits;

/** Error detail for an event that is too large for the repartition topic between two stages. */
export const recordTooLarge = `an event between operators takes at most ${recordBytes} bytes`;

/**
 * Returns whether a record value is larger than an internal topic accepts. The bytes are counted in any case: V8 then
 * keeps the value as one piece, which takes half of the memory of the pieces it was made of, while the record waits to
 * be written.
 */
export function isTooLargeRecord(value: string): boolean {
  return Buffer.byteLength(value) > recordBytes;
}
