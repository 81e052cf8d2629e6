import { firstOrLast } from './first-or-last.js';

/**
 * `last`: the value of the event with the latest event time. If several have the same time, it is the last of them in
 * the log.
 */
export const last = firstOrLast(-1);
