import { minOrMax } from './min-or-max.js';

/**
 * `min`: the smallest value. Numbers are smaller than durations, durations are smaller than times, and times are
 * smaller than strings.
 */
export const min = minOrMax(1);
