import { sumStepCounts, type EventCountsByOperator } from '#features/pipelines/computation';

/** Numbers of events of a pipeline by their outcome, for one batch or since the job was created. */
export interface EventOutcomeCounts {
  /** Number of events of the sources that match the pipeline's source filter. */
  processed: number;
  /** Number of events that are emitted to streams and webhooks. */
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
}

/** The event counts of a whole pipeline, and of each of its operators. */
export interface JobAndOperatorEventCounts extends Readonly<EventOutcomeCounts> {
  readonly steps: EventCountsByOperator;
}

export const zeroCounts: JobAndOperatorEventCounts = {
  processed: 0,
  emitted: 0,
  dropped: 0,
  late: 0,
  failed: 0,
  steps: {},
};

export function sumCounts(
  a: JobAndOperatorEventCounts,
  b: JobAndOperatorEventCounts,
): JobAndOperatorEventCounts {
  return {
    processed: a.processed + b.processed,
    emitted: a.emitted + b.emitted,
    dropped: a.dropped + b.dropped,
    late: a.late + b.late,
    failed: a.failed + b.failed,
    steps: sumStepCounts(a.steps, b.steps),
  };
}
