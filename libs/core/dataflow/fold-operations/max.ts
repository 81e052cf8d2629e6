import { minOrMax } from './min-or-max.js';

/**
 * `max`: the largest value. Strings are larger than times, times are larger than durations, and durations are larger
 * than numbers.
 */
export const max = minOrMax(-1);
