/**
 * What bounds a fold's state: it grows with the number of keys, not with the number of events. Characters are those of
 * JSON text.
 */
export const foldLimits = {
  /** Fields of one definition. */
  fields: 32,
  /** A value that `min`, `max`, `first` and `last` keep; a larger one is refused. */
  valueCharacters: 64 * 1024,
  /** A list that `collect` makes; it ends where the next item would pass one of them. */
  collectedItems: 1000,
  collectedCharacters: 64 * 1024,
  /** One item of it; a larger one is refused. */
  itemCharacters: 16 * 1024,
  /** Up to so many different values `count_distinct` is exact. */
  distinctValues: 1000,
  /** A value that it counts; a larger one is refused. */
  distinctCharacters: 64 * 1024,
  /** What `merge` keeps, removed members and the places of all included; an event that would pass it is refused. */
  mergedCharacters: 256 * 1024,
  /** Nesting of what `merge` takes: `{}` is one level. */
  mergedDepth: 64,
  /** The state of an entity; an event that would pass it is refused. */
  entityCharacters: 1024 * 1024,
  /** A key. */
  keyCharacters: 256,
} as const;
