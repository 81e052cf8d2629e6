import { extreme } from './extreme.js';

/** The largest value. Strings are larger than times, these than durations, these than numbers. */
export const max = extreme(-1);
