import { limits } from '#event';

/** What bounds pipelines. The bounds of their folds are those of folds; a definition has at most 64 KiB of JSON. */
export const pipelineLimits = {
  /** Streams of a source. */
  streams: 20,
  /** Operators of a definition, those of its branches among them. */
  operators: 50,
  /** Branches within branches. */
  branchDepth: 4,
  /** Windows and dedupes: each has a topic of its own. */
  stages: 10,
  /** Emits and webhooks. */
  outputs: 20,
  /** Characters of an expression. */
  expressionCharacters: 4096,
  /** Nesting of what `map` says `data` is. */
  mapDepth: 16,
  /** Keys of a table that `enrich` has in the definition. */
  tableKeys: 1000,
  /** Characters of a member's name. */
  nameCharacters: 256,
  /** Windows that one event is in. */
  hops: 100,
  /** Characters of JSON of the open sessions of one key: 100 for each, and the state of its fold. */
  sessionCharacters: 1024 * 1024,
  /** Events that one event may become, by `flat_map`; and the characters of JSON of all their data. */
  madeEvents: 10_000,
  madeCharacters: 16 * 1024 * 1024,
  /** The value of a record between operators, in bytes: an event that can be emitted takes less, escaped twice even. */
  recordBytes: 8 * limits.eventBytes,
  /** Characters of an address of a webhook. */
  urlCharacters: 2048,
} as const;
