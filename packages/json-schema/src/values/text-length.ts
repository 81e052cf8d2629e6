import { charactersOf } from '#json';
import type { StepMeter } from './step-meter.js';

/** Whether a text has at most `most` characters (code points). The count is charged to the meter. */
export function isAtMost(text: string, most: number, meter: StepMeter): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && counted(text, meter) <= most;
}

/** Whether a text has at least `least` characters (code points). The count is charged to the meter. */
export function isAtLeast(text: string, least: number, meter: StepMeter): boolean {
  if (text.length < least) return false;
  return text.length >= 2 * least || counted(text, meter) >= least;
}

function counted(text: string, meter: StepMeter): number {
  meter.charge(text.length >> 2);
  return charactersOf(text);
}
