import type { EpochMicros } from '#json';
import { noWatermark } from '#features/pipelines/computation';
import type { JobPartitionState } from '../state/job-partition-state.js';

/**
 * Returns the watermark of a job for the metrics: the minimum watermark of the job's keyed stages in this process, or
 * of its sources if the job has no keyed stage. Empty source partitions do not count, because windows do not wait for
 * them. Returns undefined if this process knows no watermark of the job.
 */
export function exportedWatermark(
  partitions: Iterable<Pick<JobPartitionState, 'place' | 'watermark'>>,
  stages: readonly string[],
): EpochMicros | undefined {
  const shown = new Set(stages.length > 0 ? stages : ['']);
  const known = [...partitions]
    .filter(({ place, watermark }) => shown.has(place.stage) && watermark !== noWatermark)
    .map(({ watermark }) => watermark);
  return known.length > 0 ? Math.min(...known) : undefined;
}
