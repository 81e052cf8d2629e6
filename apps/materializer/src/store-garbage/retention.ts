import { durationMs } from '#api';
import type { StreamId, TopicAndGroupNames } from '#event';
import type { StreamDefinition } from '#registry';
import type { TopicAdmin } from '#kafka';
import type { EventRemover } from '#store';
import type { RemovalTask } from './removal-task.js';

export interface RetentionDependencies {
  eraser: Pick<EventRemover, 'expire' | 'truncate'>;
  admin: Pick<TopicAdmin, 'offsets'>;
  topics: TopicAndGroupNames;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}

/** Returns the tasks that remove the rows of a stream whose retention has passed. */
export function retentionTasks(definition: StreamDefinition, parts: RetentionDependencies): RemovalTask[] {
  const { stream, retention, id } = definition;
  if (retention === 'unlimited') return [];
  const chores: RemovalTask[] = [];
  const { time, bytes } = retention;
  if (time !== undefined)
    chores.push({ reason: 'time', stream, run: () => expire(id, durationMs(time), parts) });
  if (bytes !== undefined) chores.push({ reason: 'bytes', stream, run: () => truncate(id, parts) });
  return chores;
}

function expire(stream: StreamId, keptMs: number, { eraser, now }: RetentionDependencies): Promise<number> {
  return eraser.expire({ stream, before: (now() - keptMs) * 1000 });
}

/** Removes from the store the events whose records Kafka has deleted because of the topic's size limit. */
async function truncate(stream: StreamId, { eraser, admin, topics }: RetentionDependencies): Promise<number> {
  let removed = 0;
  for (const { partition, beginning } of await admin.offsets(topics.ofStream(stream)))
    if (beginning > 0) removed += await eraser.truncate({ stream, partition, before: beginning });
  return removed;
}
