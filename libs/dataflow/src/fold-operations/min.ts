import { extreme } from './extreme.js';

/** The smallest value. Numbers are smaller than durations, these than times, these than strings. */
export const min = extreme(1);
