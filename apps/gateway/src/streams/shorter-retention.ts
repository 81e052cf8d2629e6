import { durationMs, type Retention } from '#api';

/**
 * Whether the wanted retention keeps less than the current one, by time or by size. If it does, the change removes
 * events.
 * @throws RangeError for an invalid duration
 */
export function removesEvents(wanted: Retention, current: Retention): boolean {
  const [less, more] = [bounds(wanted), bounds(current)];
  return less.ms < more.ms || less.bytes < more.bytes;
}

function bounds(retention: Retention): { ms: number; bytes: number } {
  const { time, bytes } = retention === 'unlimited' ? {} : retention;
  return { ms: time === undefined ? Infinity : durationMs(time), bytes: bytes ?? Infinity };
}
