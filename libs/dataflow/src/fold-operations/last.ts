import { edge } from './edge.js';

/** The value of the latest event by its own time; of several at one instant the last in the log. */
export const last = edge(-1);
