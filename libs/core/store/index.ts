export { EventRowBatch, type RowBatchOrigin } from './row-batch/event-row-batch.js';
export { EventRowBatchBuilder } from './row-batch/event-row-batch-builder.js';
export * from './errors.js';
import './query-problems.js';
export { UntranslatableExpressionError } from '#cel';
export * from './store.js';
export type { ScrubPassProgress, ScrubPassStore } from './scrub-passes.js';
export {
  clickHouseConnection,
  ClickHouseServers,
  clickHouseOptions,
  openClickHouse,
  type ClickHouseStoreOptions,
} from './clickhouse/open.js';
export type { StreamSharding } from './clickhouse/cluster/shards.js';
export type { ClickHouseStore } from './clickhouse/clickhouse-store.js';
export * from './clickhouse/access/users.js';
export * from './clickhouse/access/users-xml.js';
export type { PipelineFailureLocation } from './pipeline-failure-location.js';
export { AdaptivePageSize } from './adaptive-page-size.js';
export { LogOrderPageReader, type LogOrderPageWithRanges } from './log-order-page-reader.js';
export * from './keyed-state-store.js';
export { statesByKey } from './state-keys.js';
export * from './scrub-reader.js';
export { RowTable } from './clickhouse/connection/row-table.js';
export {
  boundSettings,
  distributedSettings,
  longQuerySettings,
  synchronousInsert,
} from './clickhouse/connection/settings.js';
export { splitBySize } from './clickhouse/connection/split-by-size.js';
export {
  quoteIdentifier,
  quoteText,
  SqlParams,
  TupleParam,
  type ParameterizedSql,
} from './clickhouse/connection/sql-params.js';
export { conditions, readableEventColumns, whereClause } from './clickhouse/connection/event-conditions.js';
export { namedStreams, scopeConditions, streamConditions } from './clickhouse/connection/stream-scope.js';
export { entityHashCondition } from './clickhouse/removal/erased-entity.js';
export { RowRemover } from './clickhouse/removal/row-remover.js';
export { decodeCursor, encodeCursor } from './cursor.js';
export type { ClickHouseConnection } from './clickhouse/connection/store-clickhouse-client.js';
export { selectClause, type DataMemberColumn } from './clickhouse/event-columns.js';
