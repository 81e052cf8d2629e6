import type { NewlyAssignedPartition } from '#kafka';
import type { IdWindowBounds } from '#dataflow';

/**
 * Returns the offset from which to read, so that the id window decides from `position` on as if it had seen the whole
 * log. The returned offset is at most `bounds.records` before `position`, and not before the first record that is still
 * within the window's time.
 */
export async function warmUpStart(
  assignment: NewlyAssignedPartition,
  bounds: IdWindowBounds,
  now: number,
): Promise<number> {
  const { position, beginning } = assignment;
  const byRecords = Math.max(beginning, position - bounds.records);
  if (byRecords >= position) return position;
  const since = (await leastLogTime(assignment, bounds, now)) - bounds.milliseconds;
  // A negative timestamp has a special meaning in Kafka: -1 is the end, -2 the beginning.
  const byTime = await assignment.offsetAt(Math.max(0, since));
  return Math.min(position, Math.max(byRecords, byTime));
}

/**
 * Returns a lower bound of the log time (see IdWindow) at `position`. If `position` is the end of the log, there is no
 * record to ask for. The bound is then searched in the past with doubling steps, because the log may have been quiet
 * for days.
 */
async function leastLogTime(
  assignment: NewlyAssignedPartition,
  bounds: IdWindowBounds,
  now: number,
): Promise<number> {
  const timestamp = await assignment.timestampAtPosition();
  if (timestamp !== undefined) return timestamp;
  for (let step = Math.max(bounds.milliseconds, 1); step < now; step *= 2) {
    if ((await assignment.offsetAt(now - step)) < assignment.position) return now - step;
  }
  return 0;
}

/**
 * Returns the log time at a record: the greatest timestamp of the partition up to it. The log can find the first record
 * at or after a time. So the result is the greatest time for which that record is at or before `record`. The resulting
 * time is nearly always the record's own timestamp, and one request confirms this.
 */
export async function logTimeAt(
  assignment: NewlyAssignedPartition,
  record: { offset: number; timestamp: number },
): Promise<number> {
  const isReached = async (time: number): Promise<boolean> =>
    record.offset > assignment.beginning && (await assignment.offsetAt(time)) <= record.offset;
  let reached = record.timestamp;
  let step = 1;
  while (await isReached(reached + step)) {
    reached += step;
    step *= 2;
  }
  // The log time is below `reached + step`: bisect the gap.
  for (let gap = Math.floor(step / 2); gap >= 1; gap = Math.floor(gap / 2)) {
    if (await isReached(reached + gap)) reached += gap;
  }
  return reached;
}
