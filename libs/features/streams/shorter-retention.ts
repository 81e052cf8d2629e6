import { durationMs, type StreamRetention } from '#api';

/**
 * Whether a changed retention of a stream keeps less than the current one, by time or by size, so that Kafka may remove
 * events because of it.
 * @throws RangeError for an invalid duration
 */
export function removesEvents(wanted: StreamRetention, current: StreamRetention): boolean {
  const [less, more] = [bounds(wanted), bounds(current)];
  return less.ms < more.ms || less.bytes < more.bytes;
}

function bounds(retention: StreamRetention): { ms: number; bytes: number } {
  const { time, bytes } = retention === 'unlimited' ? {} : retention;
  return { ms: time === undefined ? Infinity : durationMs(time), bytes: bytes ?? Infinity };
}
