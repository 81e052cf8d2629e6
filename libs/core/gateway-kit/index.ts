export { abortWhenKeyEnds } from './access/require.js';
export { requireConfirmation } from './access/require.js';
export { PerKeyConcurrencyLimiter } from './access/per-key-concurrency-limiter.js';
export { RequireAllStreams } from './access/require.js';
export { StreamReadAuthorizer } from './access/stream-read-authorizer.js';
export { refuseReserved, requireWriteAccess } from './access/require.js';
export { csvHeader, csvLine } from './answers/csv.js';
export { encodePage, type StoredEventPage, chunksOf, onOneLine } from './answers/event-page.js';
export { jsonType } from './answers/event-page.js';
export { pageMediaType, pageMediaTypes, type PageMediaType } from './answers/event-page.js';
export { nextPageHeaders } from './answers/event-page.js';
export { CONSISTENCY_BOUNDS } from './consistency/consistency-tokens.js';
export { ConsistencyTokenWaiter } from './consistency/consistency-tokens.js';
export { FLUSHES } from './consistency/flush-request-sender.js';
export { type ConsistencyToken } from './parameters/decorators.js';
export { definitionControllers } from './definitions/definition-controllers.js';
export { ProjectionName, nameParam, requireDefinitionName } from './definitions/definition-name.js';
export { NewDefinitionName, OptionalDefinitionName } from './definitions/definition-name.js';
export { type DefinitionRequest, type DefinitionResource } from './definitions/visible-definitions.js';
export { invalidDefinitionProblem } from './definitions/invalid-definition.js';
export { sameSpec } from './definitions/visible-definitions.js';
export { type DefinitionChangeCaller, VisibleDefinitions } from './definitions/visible-definitions.js';
export { GatewayKitModule } from './gateway-kit.module.js';
export { GroupLagReader, type GroupLagReaderLimits, type GroupLagCounts } from './lag/group-lag-reader.js';
export { listEnd } from './lists/page-by-name.js';
export { ListAnswer } from './lists/page-by-name.js';
export { nameCursor, nameOfCursor } from './lists/page-by-name.js';
export { pageByName } from './lists/page-by-name.js';
export { ApiAnswer, NoContent } from './openapi/problems.js';
export { Nullable } from './openapi/schema.js';
export {
  Problems,
  storeProblems,
  bodyProblems,
  storeAndLogProblems,
  consistentReadProblems,
  createProblems,
  changeProblems,
} from './openapi/problems.js';
export { JsonSchemaPart } from './openapi/schema.js';
export {
  Flag,
  Parameter,
  Text,
  Time,
  OneStreamName,
  Positions,
  Confirmation,
  Cursor,
  PageLimit,
  StreamNames,
  Texts,
} from './parameters/decorators.js';
export { Interval } from './parameters/decorators.js';
export { PageParameters } from './parameters/decorators.js';
export { requireTimeRange } from './parameters/decorators.js';
export { abortable } from './reads/bulkhead.js';
export { Bulkhead } from './reads/bulkhead.js';
export { filesByStreamName, sqlByStreamName } from './reads/by-stream-name.js';
export { ReadSettings } from './reads/bulkhead.js';
export { NewGenerationOrJobFactory } from './sources/new-generation-or-job-factory.js';
export { readTopics } from './sources/new-generation-or-job-factory.js';
export { openStores, type GatewayStores } from './stores/stores.module.js';
export { CLICKHOUSE_CLIENTS, StoreTables, StoresModule, LIVE_STORE } from './stores/stores.module.js';
