import { edge } from './edge.js';

/**
 * `last`: the value of the event with the latest event time. If several have the same time, it is the last of them in
 * the log.
 */
export const last = edge(-1);
