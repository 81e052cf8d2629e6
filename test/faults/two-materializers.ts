import { useFaultySystem } from '../faulty-system.js';

/** As `one-system`, with two materializers. */
export const system = useFaultySystem({ materializers: 2 });
