/**
 * What was erased: the events of one entity in one stream up to the end that the log had then. It names the entity by
 * its hash only, so that the tombstone does not keep what it is there to remove.
 */
export interface Erasure {
  stream: string;
  /** Which stream of that name: its `created_at`. One that is made anew later has nothing erased. */
  stream_created_at: string;
  /** SHA-256 (hex) of the stream, a zero byte and the entity's id. */
  entity_hash: string;
  /** By partition: records of the entity below this offset are erased, now and in every rebuild. */
  before: Readonly<Record<string, number>>;
  /** RFC 3339. */
  erased_at: string;
}

/** The name of an erasure in the definitions. */
export function erasureName(stream: string, entityHash: string): string {
  return `${stream}/${entityHash}`;
}
