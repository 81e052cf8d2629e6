import { durationMs, type Retention } from '#api';

/**
 * Whether less is kept with the one than with the other, by time or by size: then events go.
 * @throws RangeError when a time is no duration
 */
export function isShorter(wanted: Retention, current: Retention): boolean {
  const [less, more] = [bounds(wanted), bounds(current)];
  return less.ms < more.ms || less.bytes < more.bytes;
}

function bounds(retention: Retention): { ms: number; bytes: number } {
  const { time, bytes } = retention === 'unlimited' ? {} : retention;
  return { ms: time === undefined ? Infinity : durationMs(time), bytes: bytes ?? Infinity };
}
