import { edge } from './edge.js';

/**
 * `first`: the value of the event with the earliest event time. If several have the same time, it is the first of them
 * in the log.
 */
export const first = edge(1);
