export { EventBlock, type BlockPlace } from './blocks/event-block.js';
export { EventBlockBuilder } from './blocks/event-block-builder.js';
export * from './errors.js';
export * from './store.js';
export {
  clickHouseOptions,
  defaultQueryBounds,
  openClickHouse,
  type ClickHouseOptions,
} from './clickhouse/open.js';
export type { LetterStep } from './letter-step.js';
export { MigrationError } from './clickhouse/migrations.js';
export { MemoryStore } from './memory/memory-store.js';
export { PageReader, type PageRead, type PageReaderOptions } from './page-reader.js';
export * from './projection-store.js';
export type { ReadBudget, ReadShare } from './read-budget.js';
export * from './pipeline-store.js';
export * from './snapshot-store.js';
