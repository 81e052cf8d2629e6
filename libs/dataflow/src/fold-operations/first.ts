import { edge } from './edge.js';

/** The value of the earliest event by its own time; of several at one instant the first in the log. */
export const first = edge(1);
