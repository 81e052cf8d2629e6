import { GarbageCollection, type GarbageCollectionOptions } from '#engine';
import type { Definitions } from '#registry';
import { isRetryableStoreError, type KeyedStateStore } from '#store';

interface GenerationGarbageCollectionOptions extends Pick<
  GarbageCollectionOptions<string>,
  'logger' | 'onFailure' | 'intervalMs' | 'patienceMs' | 'soonMs' | 'now'
> {
  definitions: Pick<Definitions, 'projections' | 'ageMs'>;
  writer: Pick<KeyedStateStore, 'owners' | 'remove'>;
}

/**
 * Returns the garbage collection of generations, which removes the states of generations that no definition refers to.
 */
export function collectGenerations(options: GenerationGarbageCollectionOptions): GarbageCollection<string> {
  const { definitions, writer, logger } = options;
  return new GarbageCollection({
    ...options,
    definitions,
    mayReturn: isRetryableStoreError,
    unnamed: async () => {
      const all = definitions.projections.all();
      const named = new Set(all.flatMap(({ serving, building }) => [serving?.id, building?.id]));
      const unnamed = (await writer.owners()).filter((id) => !named.has(id));
      return new Map(unnamed.map((id) => [id, id]));
    },
    remove: async (build) => {
      await writer.remove(build);
      logger.info({ build }, 'removed the states of a generation that no projection refers to');
      return true;
    },
  });
}
