import { useFaultySystem } from '../faulty-system.js';

/** The system that a spec file's faults break in turn. Each spec file that imports it has its own. */
export const system = useFaultySystem();
