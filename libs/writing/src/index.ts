export * from './late-producer.js';
export * from './metered-producer.js';
export { CompiledSchemas } from './schemas/compiled-schemas.js';
export { Mismatches } from './schemas/mismatches.js';
export { SchemaIndex } from './schemas/schema-index.js';
export { traced } from './traced-producer.js';
export * from './write.module.js';
export type { WritePorts } from './write-ports.js';
export { readGivenEvents } from './read-given-events.js';
