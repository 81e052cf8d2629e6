import type { StoredEvent } from '#client';
import { useResource } from '../app/resource.js';
import { client } from '../app/session.js';
import type { ViewTimes } from '../app/time-range.js';
import { typesOf } from './stream-histogram.js';

const most = 100;

/** Values of the filters of a stream that its events have. */
export interface FilterSuggestions {
  types: readonly string[];
  entities: readonly string[];
}

/** Returns the most frequent types of a range, and the entities of its newest events. */
export function useSuggestions(stream: string, times: ViewTimes, skip: boolean): FilterSuggestions {
  const { bounds, range, isValid } = times;
  const load = async (signal: AbortSignal): Promise<FilterSuggestions> => {
    const within = { stream, ...bounds };
    const [types, { items }] = await Promise.all([
      typesOf(within, signal, most),
      client.value.events({ ...within, order: 'desc', limit: most }, { signal }).first(),
    ]);
    const ofNewest = (valueOf: (event: StoredEvent) => string | null) => [
      ...new Set(items.map(valueOf).filter((value) => value !== null)),
    ];
    // There are more types than an answer may count.
    const known = types.length > 0 ? types : ofNewest(({ event_type }) => event_type);
    return { types: known, entities: ofNewest(({ entity_id }) => entity_id) };
  };
  const { data } = useResource(load, [stream, range], { skip: skip || !isValid });
  return data ?? { types: [], entities: [] };
}
