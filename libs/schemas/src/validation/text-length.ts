import type { Meter } from './meter.js';

/** Whether a text has at most `most` characters (code points, as JSON Schema counts them). */
export function isAtMost(text: string, most: number, meter: Meter): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && charactersOf(text, meter) <= most;
}

/** Whether a text has `least` characters (code points) or more. */
export function isAtLeast(text: string, least: number, meter: Meter): boolean {
  if (text.length < least) return false;
  return text.length >= 2 * least || charactersOf(text, meter) >= least;
}

function charactersOf(text: string, meter: Meter): number {
  meter.charge(text.length >> 2);
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) pairs++;
  }
  return text.length - pairs;
}
