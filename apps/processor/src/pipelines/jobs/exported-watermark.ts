import type { EpochMicros } from '#event';
import { noWatermark } from '#dataflow';
import type { JobPartitionState } from '../state/job-partition-state.js';

/**
 * Returns the watermark that is exported for a job: the least watermark of its keyed stages in this process, or of its
 * sources if it has no keyed stage. Empty source partitions do not count, because windows advance without them. Returns
 * undefined if this process knows no watermark.
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
