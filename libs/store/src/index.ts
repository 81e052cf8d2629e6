export { EventBlock, type BlockPlace } from './blocks/event-block.js';
export { EventBlockBuilder } from './blocks/event-block-builder.js';
export * from './errors.js';
export { UntranslatableExpressionError } from '#cel';
export * from './store.js';
export {
  clickHouseOptions,
  openClickHouse,
  openClickHouseFiles,
  openClickHouseSql,
  type ClickHouseOptions,
  type SqlOptions,
} from './clickhouse/open.js';
export * from './sql-queries.js';
export * from './event-files.js';
export type { LetterStep } from './letter-step.js';
export { PageSize } from './page-size.js';
export { PageReader, type PageRead, type PageReaderOptions } from './page-reader.js';
export * from './keyed-state-store.js';
export * from './snapshot-store.js';
