export { addToStateEntries, type StateEntriesAddResult } from './add-to-state-entries.js';
export { compilePipeline, type PipelineSpec } from './compile-pipeline.js';
export { answerAsOf, noHistory } from './answers-as-of.js';
export { derivedId } from './derived-id.js';
export { dryRunLimits, dryRunText, lateReason, type DryRunResult } from './dry-run-recorder.js';
export { dryRun, DryRunTooExpensiveError } from './dry-run.js';
export { eventFromRecord, sourceEvent, readableEvent } from './flow/lazily-parsed-event.js';
export * from './flow/limits.js';
export { lookupName } from './flow/lookup-name.js';
export {
  stepResults,
  type CountedOperator,
  type EventCountsByOperator,
  sumStepCounts,
  OperatorEventCounter,
} from './flow/operator-event-counts.js';
export type * from './flow/pipeline.js';
export { effectsOf, operators, sourceStreams } from './operators/index.js';
export { type OperatorJson } from './operators/operator.js';
export { metadataWith } from './flow/result-text.js';
export { noWatermark, PartitionWatermarkGenerator } from './partition-watermark-generator.js';
export * from './replay.js';
export * from './upstream-progress.js';
