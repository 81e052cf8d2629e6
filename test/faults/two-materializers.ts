import { useFaultySystem } from '../breakable-system.js';

/** Like `one-system`, with two materializers. */
export const system = useFaultySystem({ materializers: 2 });
