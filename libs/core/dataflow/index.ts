export * from './definition/definition-error.js';
export * from './definition/members.js';
export { hash64 } from './fold-operations/hash64.js';
export { eventValue, logEventValue } from './expressions/event-value.js';
export { eventVariable, storedEventVariable } from './expressions/event-variable.js';
export { magnitudeOf, sketchBins } from './fold-operations/ddsketch.js';
export { mostQuantiles } from './fold-operations/quantile.js';
export { foldOperations } from './fold-operations/index.js';
export type { FoldResultType, Json } from './fold-operations/fold-operation.js';
export type { FoldEventSortKey } from './fold-operations/position.js';
export { compileExact } from './folds/checked-expression.js';
export { foldFieldMembers, foldLimits, type FoldField } from './folds/compile-fields.js';
export {
  compileFold,
  type Fold,
  type FoldAddResult,
  type FoldState,
  type FoldRejection,
  type FoldValues,
} from './folds/compile-fold.js';
export { compileHistory } from './folds/compile-history.js';
export { compileKey, type KeyResult } from './folds/compile-key.js';
export { compileSource, type SourceFilterSpec } from './folds/compile-source.js';
export { foldEvent, type FoldEvent } from './folds/fold-event.js';
export { historyLimits, StateHistory, type AsOfTime } from './folds/state-history.js';
export {
  farBounds,
  farReach,
  IdHistory,
  mostFarIds,
  sliceMs,
  type FarDuplicateTimeLimit,
  type OffsetInterval,
} from './id-window/id-history.js';
export { DedupeSettings, idWindowBounds } from './id-window/dedupe-settings.js';
export * from './id-window/id-window.js';
export { IdWindowReader } from './id-window/id-window-reader.js';
export { IdWindowLostError } from './id-window/shared-id-window.js';
export { SharedIdWindows } from './id-window/shared-id-windows.js';
export { BusyPartitionDetector, type BusyPartitionThreshold } from './id-window/busy-partition-detector.js';
export { MemoryBudget } from './id-window/memory-budget.js';
