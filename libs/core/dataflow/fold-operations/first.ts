import { firstOrLast } from './first-or-last.js';

/**
 * `first`: the value of the event with the earliest event time. Among events with the same time, the lowest partition
 * wins, then the lowest offset.
 */
export const first = firstOrLast(1);
