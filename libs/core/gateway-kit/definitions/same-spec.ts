import { isDeepStrictEqual } from 'node:util';

interface Spec {
  source: { streams: readonly string[]; event_types?: readonly string[] };
}

/** Whether two definitions are equal, regardless of the order of streams and event types. */
export function sameSpec<T extends Spec>(a: T, b: T): boolean {
  return isDeepStrictEqual(sorted(a), sorted(b));
}

function sorted({ source, ...spec }: Spec): unknown {
  const { streams, event_types, ...rest } = source;
  return { ...spec, source: { ...rest, streams: streams.toSorted(), event_types: event_types?.toSorted() } };
}
