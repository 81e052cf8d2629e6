import { streamNameOf, type StreamId } from '#event';
import { systemActor } from '../resources/resource-store.js';
import type { StreamOperationDependencies } from './stream-creator.js';
import { streamNotFound } from './stream-problems.js';

/**
 * Returns over how many of the store's first shards the partitions of a stream are spread, and writes `shards` down as this number if
 * the stream has none yet. Of concurrent callers, the first in the order of the log decides.
 * @throws ProblemError stream_not_found if the stream is deleted, definition_conflict, log_unavailable
 */
export async function shardsOfStream(
  { streams, upToDate }: Pick<StreamOperationDependencies, 'streams' | 'upToDate'>,
  id: StreamId,
  shards: number,
): Promise<number> {
  const name = streamNameOf(id);
  const known = streams.get(name);
  if (known?.id === id && known.shards !== undefined) return known.shards;
  // Another process may have created the stream a moment ago.
  if (known?.id !== id) await upToDate();
  const { value } = await streams.change(
    name,
    (current) => (current?.id === id && current.shards === undefined ? { ...current, shards } : current),
    systemActor,
  );
  if (value?.id !== id || value.shards === undefined) throw streamNotFound(name);
  return value.shards;
}
