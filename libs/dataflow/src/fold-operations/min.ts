import { extreme } from './extreme.js';

/**
 * `min`: the smallest value. Numbers are smaller than durations, durations are smaller than times, and times are
 * smaller than strings.
 */
export const min = extreme(1);
