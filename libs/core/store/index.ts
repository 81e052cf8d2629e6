export { EventRowBatch, type RowBatchOrigin } from './row-batch/event-row-batch.js';
export { EventRowBatchBuilder } from './row-batch/event-row-batch-builder.js';
export * from './errors.js';
import './query-problems.js';
export { UntranslatableExpressionError } from '#cel';
export * from './store.js';
export {
  clickHouseConnection,
  clickHouseOptions,
  openClickHouse,
  openClickHouseFiles,
  type ClickHouseStoreOptions,
} from './clickhouse/open.js';
export * from './clickhouse/access/users.js';
export * from './clickhouse/access/users-xml.js';
export * from './event-files.js';
export type { PipelineFailureLocation } from './pipeline-failure-location.js';
export { AdaptivePageSize } from './adaptive-page-size.js';
export { LogOrderPageReader, type LogOrderPageWithRanges } from './log-order-page-reader.js';
export * from './keyed-state-store.js';
export * from './entity-snapshot-store.js';
export { readableEventColumns } from './clickhouse/connection/event-conditions.js';
export { quoteIdentifier, quoteText, SqlParams } from './clickhouse/connection/sql-params.js';
export type { StoreClickHouseClient } from './clickhouse/connection/store-clickhouse-client.js';
export { namedStreams, scopeConditions } from './clickhouse/connection/stream-scope.js';
export { selectClause } from './clickhouse/event-columns.js';
