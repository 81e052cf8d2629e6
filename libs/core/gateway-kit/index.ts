export { PerKeyConcurrencyLimiter } from './access/per-key-concurrency-limiter.js';
export * from './access/require.js';
export { StreamReadAuthorizer } from './access/stream-read-authorizer.js';
export { csvHeader, csvLine } from './answers/csv.js';
export * from './answers/event-page.js';
export { CONSISTENCY_BOUNDS, ConsistencyTokenWaiter } from './consistency/consistency-tokens.js';
export { FLUSHES } from './consistency/flush-request-sender.js';
export { CreatableDefinitions } from './definitions/creatable-definitions.js';
export { definitionControllers } from './definitions/definition-controllers.js';
export {
  nameParam,
  NewDefinitionName,
  OptionalDefinitionName,
  ProjectionName,
  requireDefinitionName,
} from './definitions/definition-name.js';
export { invalidDefinitionProblem } from './definitions/invalid-definition.js';
export * from './definitions/visible-definitions.js';
export { GatewayKitModule } from './gateway-kit.module.js';
export { TimeLagEstimator } from './lag/time-lag-estimator.js';
export { GroupLagReader, type GroupLagCounts, type GroupLagReaderLimits } from './lag/group-lag-reader.js';
export * from './lists/page-by-name.js';
export * from './openapi/problems.js';
export * from './openapi/schema.js';
export * from './parameters/decorators.js';
export {
  instantPrefix,
  parseRequestTime,
  resumedRange,
  withoutInstant,
} from './parameters/relative-times.js';
export * from './reads/bulkhead.js';
export { missingShardsHeader, readPresentShards } from './reads/present-shards.js';
export { ReadSettings } from './reads/read-settings.js';
export { idsOfStreams } from './reads/by-stream-name.js';
export * from './sources/new-generation-or-job-factory.js';
export { sourcePointers } from './sources/source-pointers.js';
export * from './stores/stores.module.js';
