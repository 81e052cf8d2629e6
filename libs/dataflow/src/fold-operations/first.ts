import { firstOrLast } from './first-or-last.js';

/**
 * `first`: the value of the event with the earliest event time. If several have the same time, it is the first of them
 * in the log.
 */
export const first = firstOrLast(1);
