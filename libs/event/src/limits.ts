/** The bounds of the HTTP contract. Every one of them is answered with a problem document when it is passed. */
export const limits = {
  /** One event as sent, in bytes of JSON text. */
  eventBytes: 1024 * 1024,
  /** The body of a write of events, in bytes, before and after decompression. */
  requestBytes: 16 * 1024 * 1024,
  /** Every other request body. */
  definitionBytes: 64 * 1024,
  /** Events in one batch. */
  batchEvents: 10_000,
  /** Values in one raw write. */
  rawValues: 100_000,
  /** Nesting of JSON: `{}` is one level. */
  jsonDepth: 64,
  eventTypeCharacters: 256,
  entityIdCharacters: 256,
  streamCharacters: 200,
  /** Members of `metadata`. */
  metadataMembers: 64,
  /** Default and largest `limit` of a list. */
  pageDefault: 100,
  pageMax: 10_000,
  /** Values of one repeatable query parameter. */
  filterValues: 100,
  /** Characters of a `where` expression. */
  whereCharacters: 4096,
  /** Milliseconds that `wait_for` waits at most. */
  waitForMs: 10_000,
  /** Streams that one installation holds. */
  streams: 10_000,
  partitionsPerStream: 256,
  /** Versions of an entity between two automatic snapshots, where a stream says nothing; and the most it can say. */
  snapshotEvery: 100,
  snapshotEveryMax: 1_000_000,
} as const;
