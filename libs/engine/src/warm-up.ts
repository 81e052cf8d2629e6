import type { Assignment } from '#log';
import type { IdWindowBounds } from '#dataflow';

/**
 * Where to start reading so that the id window decides from `position` on as if it had seen the whole log: at most the
 * window's records before it, and not before the first record that can still be within its time.
 */
export async function warmUpStart(
  assignment: Assignment,
  bounds: IdWindowBounds,
  now: number,
): Promise<number> {
  const { position, beginning } = assignment;
  const byRecords = Math.max(beginning, position - bounds.records);
  if (byRecords >= position) return position;
  const since = (await leastLogTime(assignment, bounds, now)) - bounds.milliseconds;
  // A negative time is a word of Kafka's own: -1 the end, -2 the beginning.
  const byTime = await assignment.offsetAt(Math.max(0, since));
  return Math.min(position, Math.max(byRecords, byTime));
}

/**
 * A time that the log time (see IdWindow) at `position` is not below. Without a record there, it is looked for in the
 * past, in steps that double: the position is the end of the log, perhaps of one that has been quiet for days.
 */
async function leastLogTime(assignment: Assignment, bounds: IdWindowBounds, now: number): Promise<number> {
  const timestamp = await assignment.timestampAtPosition();
  if (timestamp !== undefined) return timestamp;
  for (let step = Math.max(bounds.milliseconds, 1); step < now; step *= 2) {
    if ((await assignment.offsetAt(now - step)) < assignment.position) return now - step;
  }
  return 0;
}

/**
 * The log time at a record: the greatest timestamp of the partition up to it. The log finds the first record at or
 * after a time, so the greatest time that is found at or before this record is the answer. Nearly always that is the
 * record's own timestamp, and one question tells.
 */
export async function logTimeAt(
  assignment: Assignment,
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
  // `reached + step` is not: halve what lies between.
  for (let gap = Math.floor(step / 2); gap >= 1; gap = Math.floor(gap / 2)) {
    if (await isReached(reached + gap)) reached += gap;
  }
  return reached;
}
