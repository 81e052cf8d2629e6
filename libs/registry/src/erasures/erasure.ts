import type { StreamId } from '#event';

/**
 * What was erased: the events of one entity in one stream up to the end that the log had then. It names the entity by
 * its hash only, so that the tombstone does not keep what it is there to remove.
 */
export interface Erasure {
  /** The stream's id: of the next stream of its name nothing is erased. */
  stream: StreamId;
  /** SHA-256 (hex) of the stream's id, a zero byte and the entity's id. */
  entity_hash: string;
  /** By partition: records of the entity below this offset are erased, now and in every rebuild. */
  before: Readonly<Record<string, number>>;
  /** RFC 3339. */
  erased_at: string;
}

/** The name of an erasure in the definitions. */
export function erasureName({ stream, entity_hash }: Pick<Erasure, 'stream' | 'entity_hash'>): string {
  return `${stream}/${entity_hash}`;
}
