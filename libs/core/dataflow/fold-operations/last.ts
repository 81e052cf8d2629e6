import { firstOrLast } from './first-or-last.js';

/**
 * `last`: the value of the event with the latest event time. Among events with the same time, the highest partition
 * wins, then the highest offset.
 */
export const last = firstOrLast(-1);
