import { pipelineLimits } from '../flow/limits.js';

const { recordBytes } = pipelineLimits;

/** Why an event cannot go on its way, in words. */
export const tooLargeRecord = `an event between operators takes at most ${recordBytes} bytes`;

/**
 * Whether the value of a record of an internal topic is larger than the log takes it: it would refuse it each time. Bytes are
 * counted only where there are enough characters for it to matter.
 */
export function isTooLargeRecord(value: string): boolean {
  return value.length * 3 > recordBytes && Buffer.byteLength(value) > recordBytes;
}
