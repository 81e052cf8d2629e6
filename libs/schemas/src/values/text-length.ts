import { charactersOf } from '#api';
import type { Meter } from './meter.js';

/** Whether a text has at most `most` characters (code points). Counting them is charged. */
export function isAtMost(text: string, most: number, meter: Meter): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && counted(text, meter) <= most;
}

/** Whether a text has `least` characters (code points) or more. Counting them is charged. */
export function isAtLeast(text: string, least: number, meter: Meter): boolean {
  if (text.length < least) return false;
  return text.length >= 2 * least || counted(text, meter) >= least;
}

function counted(text: string, meter: Meter): number {
  meter.charge(text.length >> 2);
  return charactersOf(text);
}
