import { pipelineLimits } from '../flow/limits.js';

const { recordBytes } = pipelineLimits;

/** Error detail for an event that is too large for the repartition topic between two stages. */
export const recordTooLarge = `an event between operators takes at most ${recordBytes} bytes`;

/**
 * Returns whether a value is larger than an internal topic accepts. Always counts the bytes: V8 then keeps the value as
 * one piece, which takes half of the memory of its pieces while it waits to be written.
 */
export function isTooLargeRecord(value: string): boolean {
  return Buffer.byteLength(value) > recordBytes;
}
