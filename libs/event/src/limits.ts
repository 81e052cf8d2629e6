/** Limits of the HTTP API. A request that exceeds one of them is answered with a problem document. */
export const limits = {
  /** Size of one event as it is sent, in bytes of JSON text. */
  eventBytes: 1024 * 1024,
  /** Size of the body of a write of events, in bytes, before and after decompression. */
  requestBytes: 16 * 1024 * 1024,
  /** Size of any other request body, in bytes. */
  definitionBytes: 64 * 1024,
  /** Number of events in one batch write. */
  batchEvents: 10_000,
  /** Number of values in one raw write. */
  rawValues: 100_000,
  /** Levels of nesting in JSON: `{}` is one level. */
  jsonDepth: 64,
  eventTypeCharacters: 256,
  entityIdCharacters: 256,
  streamCharacters: 200,
  /** Number of members of `metadata`. */
  metadataMembers: 64,
  /** Default and largest value of the `limit` parameter of a list. */
  pageDefault: 100,
  pageMax: 10_000,
  /** Number of values of one repeatable query parameter. */
  filterValues: 100,
  /** Length of a `where` expression in characters. */
  whereCharacters: 4096,
  /** Longest time that `wait_for` waits, in milliseconds. */
  waitForMs: 10_000,
  /** Number of streams of one installation. */
  streams: 10_000,
  partitionsPerStream: 256,
  /**
   * Versions of an entity between two automatic snapshots: the default of a stream, and the largest value that it can
   * set.
   */
  snapshotEvery: 100,
  snapshotEveryMax: 1_000_000,
} as const;
