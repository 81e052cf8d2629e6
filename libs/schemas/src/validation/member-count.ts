import type { Meter } from './meter.js';

/** Whether an object has at most `most` members; it looks at no more than it has to. */
export function hasAtMost(value: object, most: number, meter: Meter): boolean {
  return !hasAtLeast(value, most + 1, meter);
}

/** Whether an object has `least` members or more; it looks at no more than it has to. */
export function hasAtLeast(value: object, least: number, meter: Meter): boolean {
  let count = 0;
  for (const _name in value) {
    meter.charge(8);
    if (++count >= least) return true;
  }
  return count >= least;
}
