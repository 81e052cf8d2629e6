export type { AuditEventContent } from './audit/audit-writer.js';
export { definitionLimitReached } from './changes/definition-problems.js';
export { definitionsTopic } from './changes/definitions-topic-writer.js';
export * from './definitions.js';
export { definitionsAge, definitionsHealth, type DefinitionsHealthInput } from './definitions-health.js';
export { Erasure, erasureName } from './erasures/erasure-kind.js';
export { ApiKeyDefinition, ApiKeySecretHash } from './keys/key-kind.js';
export { resourceKinds } from './resource-kinds.js';
export { readKey, readRecord } from './resources/definition-change-record.js';
export { lifecycleActionOf } from './resources/lifecycle-action.js';
export { oneRecord } from './resources/one-record.js';
export { IsCount, IsTextOrNull, IsTime, MapOf, Nested, rule, NestedOr } from './resources/record-members.js';
export { UnreadableDefinitionError, type ResourceKind } from './resources/resource-kind.js';
export * from './resources/resource-store.js';
export {
  schemaModes,
  schemaName,
  SchemaVersion,
  type SchemaEnforcementMode,
  type SchemaSubject,
} from './schemas/schema-kind.js';
export * from './streams/source-streams.js';
export type { StreamCreationResult } from './streams/stream-creator.js';
export type { StreamDefinition } from './streams/stream-definition.js';
export type { RemoveStreamRows } from './streams/stream-deleter.js';
export { streamNotFound } from './streams/stream-problems.js';
