import type { ComparableDefinition } from './resource.js';

/**
 * Returns the names of all members of a definition. The compiler rejects a name that the API does not have, and a
 * member of the API that is missing here.
 */
export function membersOf<Definition>(names: Record<keyof Definition, true>): readonly string[] {
  return Object.keys(names);
}

/** Returns the members in this list that are not null. */
export function pick(item: object, names: readonly string[]): ComparableDefinition {
  const entries = names.map((name) => [name, (item as ComparableDefinition)[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

/** Returns the names sorted, because their order has no meaning. */
export function sortedNames(names: unknown): unknown {
  return Array.isArray(names) ? (names as unknown[]).toSorted() : names;
}

/** Returns the source of a projection or a pipeline with sorted names. */
export function sourceOf(source: unknown): unknown {
  if (typeof source !== 'object' || source === null) return source;
  const { streams, event_types, ...rest } = pick(source, Object.keys(source));
  return {
    streams: sortedNames(streams),
    ...(event_types !== undefined && { event_types: sortedNames(event_types) }),
    ...rest,
  };
}

/** Returns the streams of a source as `stream:orders`. */
export function streamsOf(wanted: ComparableDefinition): string[] {
  const { streams } = (wanted.source ?? {}) as { streams?: unknown };
  return Array.isArray(streams) ? streams.map((name) => `stream:${String(name)}`) : [];
}
