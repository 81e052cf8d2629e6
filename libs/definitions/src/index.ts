export * from './definitions.js';
export type { AuditEntry } from './audit/audit-event.js';
export { openDefinitions, type DefinitionsOptions } from './open-definitions.js';
export {
  definitionsAge,
  definitionsHealth,
  DefinitionsStoppedError,
  type CheckedDefinitions,
} from './definitions-health.js';
export { DefinitionsFileError, exportDefinitions, importDefinitions } from './backup/definitions-file.js';
export * from './erasures/erasure.js';
export * from './erasures/standing-erasure.js';
export * from './keys/key-definition.js';
export * from './pipelines/pipeline-definition.js';
export * from './pipelines/pipeline-loop.js';
export * from './pipelines/pipeline-streams.js';
export * from './pipelines/placed-operators.js';
export * from './projections/projection-definition.js';
export * from './projections/projection-streams.js';
export * from './kind.js';
export type { RunSource } from './sources/run-source.js';
export * from './schemas/schema-subject.js';
export type { StreamDefinition } from './streams/stream-definition.js';
export { streamNotFound } from './streams/stream-problems.js';
