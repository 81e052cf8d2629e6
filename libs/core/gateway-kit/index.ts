export { abortWhenKeyEnds } from './access/abort-when-key-ends.js';
export { requireConfirmation } from './access/confirmation.js';
export { PerKeyConcurrencyLimiter } from './access/per-key-concurrency-limiter.js';
export { RequireAllStreams } from './access/require-all-streams.js';
export { StreamReadAuthorizer } from './access/stream-read-authorizer.js';
export { refuseReserved, requireWriteAccess } from './access/write-access.js';
export { csvHeader, csvLine } from './answers/csv.js';
export { encodePage, type StoredEventPage, chunksOf, onOneLine } from './answers/event-page.js';
export { jsonType } from './answers/json-type.js';
export { pageMediaType, pageMediaTypes, type PageMediaType } from './answers/media-type.js';
export { nextPageHeaders } from './answers/next-page.js';
export { CONSISTENCY_BOUNDS } from './consistency/consistency-limits.js';
export { ConsistencyTokenWaiter } from './consistency/consistency-tokens.js';
export { FLUSHES } from './consistency/flush-request-sender.js';
export { type ConsistencyToken } from './consistency/position.js';
export { definitionControllers } from './definitions/definition-controllers.js';
export { ProjectionName, nameParam, requireDefinitionName } from './definitions/definition-name.js';
export { NewDefinitionName, OptionalDefinitionName } from './definitions/definition-names.js';
export { type DefinitionRequest, type DefinitionResource } from './definitions/definition-resource.js';
export { invalidDefinitionProblem } from './definitions/invalid-definition.js';
export { sameSpec } from './definitions/same-spec.js';
export { type DefinitionChangeCaller, VisibleDefinitions } from './definitions/visible-definitions.js';
export { GatewayKitModule } from './gateway-kit.module.js';
export { GroupLagReader, type GroupLagReaderLimits, type GroupLagCounts } from './lag/group-lag-reader.js';
export { listEnd } from './lists/has-more-and-next-cursor.js';
export { ListAnswer } from './lists/list-answer.js';
export { nameCursor, nameOfCursor } from './lists/name-cursor.js';
export { pageByName } from './lists/page-by-name.js';
export { ApiAnswer, NoContent } from './openapi/answers.js';
export { Count, ListOf, ObjectOf } from './openapi/members.js';
export { Nullable } from './openapi/nullable.js';
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
export { Interval } from './parameters/interval.js';
export { PageParameters } from './parameters/page-parameters.js';
export { requireTimeRange } from './parameters/time-range.js';
export { abortable } from './reads/abortable.js';
export { Bulkhead } from './reads/bulkhead.js';
export { filesByStreamName, sqlByStreamName } from './reads/by-stream-name.js';
export { ReadSettings } from './reads/read-settings.js';
export { NewGenerationOrJobFactory } from './sources/new-generation-or-job-factory.js';
export { readTopics } from './sources/read-topics.js';
export { openStores, type GatewayStores } from './stores/open-stores.js';
export { CLICKHOUSE_CLIENTS, StoreTables, StoresModule, LIVE_STORE } from './stores/stores.module.js';
