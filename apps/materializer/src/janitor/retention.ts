import { durationMs } from '#api';
import type { TopicNames } from '#event';
import type { Definitions, StreamDefinition } from '#registry';
import type { TopicAdmin } from '#log';
import type { EventEraser } from '#store';
import type { Chore } from './chore.js';

export interface RetentionParts {
  definitions: Pick<Definitions, 'stream'>;
  eraser: Pick<EventEraser, 'expire' | 'truncate'>;
  admin: Pick<TopicAdmin, 'offsets'>;
  topics: TopicNames;
  /** Milliseconds since 1970. */
  now: () => number;
}

/** What a stream's retention asks for: of the rows, what its topic no longer has to keep either. */
export function retentionChores(definition: StreamDefinition, parts: RetentionParts): Chore[] {
  const { stream, retention } = definition;
  if (retention === 'unlimited') return [];
  const chores: Chore[] = [];
  const { time, bytes } = retention;
  if (time !== undefined)
    chores.push({ reason: 'time', stream, run: () => expire(stream, durationMs(time), parts) });
  if (bytes !== undefined) chores.push({ reason: 'bytes', stream, run: () => truncate(definition, parts) });
  return chores;
}

function expire(stream: string, keptMs: number, { eraser, now }: RetentionParts): Promise<number> {
  return eraser.expire({ stream, before: (now() - keptMs) * 1000 });
}

/**
 * The log decides by its size what it keeps: what it has let go, the rows follow. Where the stream is made anew meanwhile,
 * its offsets start again: nothing is removed that was ingested after the log was asked.
 */
async function truncate(
  { stream, id }: StreamDefinition,
  { eraser, admin, topics, definitions, now }: RetentionParts,
): Promise<number> {
  const ingestedBefore = now() * 1000;
  let removed = 0;
  for (const { partition, beginning } of await admin.offsets(topics.ofStream(id))) {
    const current = definitions.stream(stream);
    if (current?.id !== id || current.state !== 'live') break;
    if (beginning === 0) continue;
    removed += await eraser.truncate({ stream, partition, before: beginning, ingestedBefore });
  }
  return removed;
}
