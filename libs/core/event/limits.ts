import { maxJsonDepth } from '#json';

/** Limits of the HTTP API. A request that exceeds one of them is rejected with a problem document. */
export const limits = {
  /** Maximum size of one event as it is sent, in bytes of JSON text. */
  eventBytes: 1024 * 1024,
  /** Maximum size of the body of a request that writes events, in bytes, before and after decompression. */
  requestBytes: 16 * 1024 * 1024,
  /** Maximum size of the body of a request that does not write events, in bytes. */
  definitionBytes: 64 * 1024,
  /** Maximum number of events in one request that writes a batch. */
  batchEvents: 10_000,
  /** Maximum number of events of an atomic batch with an `expected_version`, which are one record batch in Kafka. */
  atomicEvents: 1_000,
  /** Maximum number of JSON values in one request that writes raw values. */
  rawValues: 100_000,
  /** Maximum levels of nesting in the JSON of an event: `{}` is one level. */
  jsonDepth: maxJsonDepth,
  eventTypeCharacters: 256,
  entityIdCharacters: 256,
  streamCharacters: 200,
  /** Maximum number of members in the `metadata` of an event. */
  metadataMembers: 64,
  /** Default and maximum value of the `limit` parameter of a paged list. */
  pageDefault: 100,
  pageMax: 10_000,
  /** Maximum number of values of one repeatable query parameter, such as `event_type`. */
  filterValues: 100,
  /** Maximum number of characters of a `where` expression. */
  whereCharacters: 4096,
  /** Longest time that `wait_for` waits, in milliseconds. */
  waitForMs: 10_000,
  /** Maximum number of streams in one installation. */
  streams: 10_000,
  partitionsPerStream: 256,
  /** Versions of an entity between two automatic snapshots: the default of a stream, and the most that it can set. */
  snapshotEvery: 100,
  snapshotEveryMax: 1_000_000,
} as const;
