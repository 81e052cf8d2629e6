export * from './late-producer.js';
export * from './metered-producer.js';
export { traced } from './traced-producer.js';
export * from './write.module.js';
export type { WritePorts } from './write-ports.js';
