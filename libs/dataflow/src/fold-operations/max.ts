import { extreme } from './extreme.js';

/**
 * `max`: the largest value. Strings are larger than times, times are larger than durations, and durations are larger
 * than numbers.
 */
export const max = extreme(-1);
