export type { LogEvent } from '#cel';
export { DefinitionError, type DefinitionFault } from './definition/definition-error.js';
export * from './entity-state/entity-state.js';
export { hash64 } from './fold-operations/hash64.js';
export { foldOperations } from './fold-operations/index.js';
export type { Json } from './fold-operations/json.js';
export { comparePositions, type Position } from './fold-operations/position.js';
export type { FoldField } from './folds/compile-fields.js';
export {
  compileFold,
  type Fold,
  type FoldOutcome,
  type FoldState,
  type Refused,
} from './folds/compile-fold.js';
export { compileKey, type KeyOutcome } from './folds/compile-key.js';
export { compileSource, type SourceFilter } from './folds/compile-source.js';
export { foldEvent, type FoldEvent } from './folds/fold-event.js';
export { foldLimits } from './folds/limits.js';
export { readable, recordFlow, sourceFlow } from './flow/flow-event.js';
export type * from './flow/flow.js';
export { pipelineLimits } from './flow/limits.js';
export * from './id-window/id-window.js';
export { effectsOf } from './operators/effects.js';
export { operators } from './operators/index.js';
export type { Effect, OperatorSpec } from './operators/operator.js';
export { addToRows } from './pipelines/add-to-rows.js';
export { compilePipeline } from './pipelines/compile-pipeline.js';
export { derivedId } from './pipelines/derived-id.js';
export { dryRunLimits, dryRunText, type DryRun, type DryRunStep } from './pipelines/dry-run-record.js';
export { dryRun, DryRunTooExpensiveError, type Ask } from './pipelines/dry-run.js';
export {
  FeederPositions,
  passedOn,
  type Control,
  type ForwardedPosition,
} from './pipelines/feeder-positions.js';
export { isTooLargeRecord, tooLargeRecord } from './pipelines/internal-record.js';
export type * from './pipelines/pipeline-spec.js';
export { readReplay, replayValue, type Replay } from './pipelines/replay.js';
export { noWatermark, SourceWatermark, type TimeProgress } from './pipelines/source-watermark.js';
