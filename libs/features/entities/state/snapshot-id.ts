import { createHash } from 'node:crypto';
import type { EntitySnapshot } from '#store';

/**
 * Returns the id of an entity's snapshot: 32 hexadecimal digits of a hash of the stream, the entity, the version and
 * the position of its last event. Saving the same version again gives the same id; the same version after an erasure
 * has another id.
 */
export function snapshotId({ stream, entity_id, version, last }: EntitySnapshot): string {
  const identity = JSON.stringify([
    stream,
    entity_id,
    version,
    last.partition,
    last.offset,
    last.ingested_at,
  ]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}
