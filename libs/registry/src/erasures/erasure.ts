import type { StreamId } from '#event';

/**
 * An erasure: the events of one entity in one stream, up to the end of the log at that time. An erasure identifies the
 * entity by a hash only, so that the erased id is not stored.
 */
export interface Erasure {
  /** The stream's id. An erasure does not apply to a later stream with the same name. */
  stream: StreamId;
  /** SHA-256 (hex) of the stream's id, a zero byte and the entity's id. */
  entity_hash: string;
  /** End offset by partition: records of the entity below that offset are erased, now and in every rebuild. */
  before: Readonly<Record<string, number>>;
  /** Time of the erasure, as RFC 3339. */
  erased_at: string;
}

/** Returns the name of an erasure in the definitions. */
export function erasureName({ stream, entity_hash }: Pick<Erasure, 'stream' | 'entity_hash'>): string {
  return `${stream}/${entity_hash}`;
}
