export * from './definitions.js';
export type {
  StreamCreationResult,
  CreateStreamRequest,
  RemoveStreamRows,
} from './streams/create-stream-request.js';
export type { AuditEventContent } from './audit/audit-event.js';
export { resourceKinds } from './resource-kinds.js';
export { openDefinitions, type DefinitionsOptions } from './open-definitions.js';
export { definitionsAge, definitionsHealth, type DefinitionsHealthInput } from './definitions-health.js';
export { DefinitionsBackupError, exportDefinitions, importDefinitions } from './backup/definitions-file.js';
export * from './erasures/erasure.js';
export * from './keys/api-key-definition.js';
export * from './pipelines/pipeline-definition.js';
export * from './pipelines/pipeline-loop.js';
export * from './pipelines/pipeline-streams.js';
export * from './projections/projection-definition.js';
export * from './projections/projection-streams.js';
export * from './resources/resource-store.js';
export { startPositions } from './sources/source-filter.js';
export type { SourceStreamWithStartOffsets } from './sources/source-stream-with-start-offsets.js';
export * from './streams/source-streams.js';
export * from './schemas/schema-subject.js';
export type { StreamDefinition } from './streams/stream-definition.js';
export { streamNotFound } from './streams/stream-problems.js';
