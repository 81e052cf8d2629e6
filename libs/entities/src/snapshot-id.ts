import { createHash } from 'node:crypto';
import type { EntitySnapshot } from '#store';

/** Names a snapshot: the same version of the same entity always has the same (32 hexadecimal digits). */
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
