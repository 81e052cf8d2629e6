import { useFaultySystem } from '../breakable-system.js';

/** The system that the faults of a spec file break one after the other. Each spec file that imports it has its own. */
export const system = useFaultySystem();
