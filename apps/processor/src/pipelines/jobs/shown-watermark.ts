import type { Micros } from '#event';
import { noWatermark } from '#dataflow';
import type { PartitionState } from '../state/partition-state.js';

/**
 * The watermark that is shown of a job: the least of the windows and dedupes that are here; of the sources where the
 * definition has none. An empty partition of a source holds back nobody whose windows go on without it. Undefined:
 * none is known here.
 */
export function shownWatermark(
  partitions: Iterable<Pick<PartitionState, 'place' | 'watermark'>>,
  stages: readonly string[],
): Micros | undefined {
  const shown = new Set(stages.length > 0 ? stages : ['']);
  const known = [...partitions]
    .filter(({ place, watermark }) => shown.has(place.stage) && watermark !== noWatermark)
    .map(({ watermark }) => watermark);
  return known.length > 0 ? Math.min(...known) : undefined;
}
