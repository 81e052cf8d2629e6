export { DefinitionError, type DefinitionProblem } from './definition/definition-error.js';
export * from './entity-state/entity-state.js';
export { hash64 } from './fold-operations/hash64.js';
export { eventValue } from './expressions/event-value.js';
export { storedEventVariable } from './expressions/event-variable.js';
export { foldOperations } from './fold-operations/index.js';
export type { FoldResultType, Json } from './fold-operations/fold-operation.js';
export { comparePositions, type FoldEventSortKey } from './fold-operations/position.js';
export { foldLimits, type FoldField } from './folds/compile-fields.js';
export { compileFold, type Fold, type FoldState, type FoldRejection } from './folds/compile-fold.js';
export { compileKey, type KeyResult } from './folds/compile-key.js';
export { compileSource, type SourceFilterSpec } from './folds/compile-source.js';
export { foldEvent, type FoldEvent } from './folds/fold-event.js';
export { readableEvent, eventFromRecord, sourceEvent } from './flow/lazily-parsed-event.js';
export type * from './flow/pipeline.js';
export { isTooLargeRecord, pipelineLimits, recordTooLarge } from './flow/limits.js';
export {
  OperatorEventCounter,
  stepResults,
  type OperatorEventResult,
  sumStepCounts,
  type CountedOperator,
  type EventCountsByOperator,
} from './flow/operator-event-counts.js';
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
export { effectsOf, operators } from './operators/index.js';
export type { OperatorExternalReference, OperatorJson } from './operators/operator.js';
export { addToStateEntries } from './pipelines/add-to-state-entries.js';
export { compilePipeline } from './pipelines/compile-pipeline.js';
export { derivedId } from './pipelines/derived-id.js';
export {
  dryRunLimits,
  dryRunText,
  type DryRunResult,
  type DryRunStep,
} from './pipelines/dry-run-recorder.js';
export { dryRun, DryRunTooExpensiveError, type FetchProjectionStates } from './pipelines/dry-run.js';
export {
  UpstreamProgress,
  downstreamWatermark,
  type WatermarkRecord,
  type UpstreamEmissionPosition,
} from './pipelines/upstream-progress.js';
export type * from './pipelines/pipeline-spec.js';
export {
  deliveryStage,
  readReplay,
  replayStage,
  replayValue,
  type ReplayedDeadLetter,
} from './pipelines/replay.js';
export {
  noWatermark,
  PartitionWatermarkGenerator,
  type PartitionWatermark,
} from './pipelines/partition-watermark-generator.js';
