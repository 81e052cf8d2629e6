import { limits } from '#event';

/** Limits of pipeline definitions; limits of single operators are in the operators' files. */
export const pipelineLimits = {
  streams: 20,
  /** Maximum number of operators of a pipeline definition, including those in branches. */
  operators: 50,
  /** Maximum number of keyed stages of a pipeline; each reads a repartition topic of its own. */
  stages: 10,
  /** Maximum number of outputs: streams and webhook addresses, counted for each operator that names them. */
  outputs: 20,
  /** Maximum number of characters in the name of a JSON member that an operator adds. */
  nameCharacters: 256,
  /** Maximum number of state entries (keys and windows) of a keyed stage in one partition. */
  stateRows: 10_000_000,
  /** Maximum bytes of a value in a repartition topic. An emittable event takes less, even if escaped twice. */
  recordBytes: 8 * limits.eventBytes,
} as const;

/** Error detail for an event that is too large for the repartition topic between two stages. */
export const recordTooLarge = `an event between operators takes at most ${pipelineLimits.recordBytes} bytes`;

/**
 * Returns whether a value is larger than an internal topic accepts. Always counts the bytes: V8 then keeps the value as
 * one piece, which takes half of the memory of its pieces while it waits to be written.
 */
export function isTooLargeRecord(value: string): boolean {
  return Buffer.byteLength(value) > pipelineLimits.recordBytes;
}
