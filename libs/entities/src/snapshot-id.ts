import { createHash } from 'node:crypto';
import type { EntitySnapshot } from '#store';

/**
 * Returns the id of a snapshot, 32 hexadecimal digits. The same version of the same entity always has the
 * same id.
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
