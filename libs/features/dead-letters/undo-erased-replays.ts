import { entityHash } from '#event';
import { formatTime, type EpochMicros } from '#json';
import { erasureName, type Actor, type Definitions, type Erasure } from '#registry';
import type { EventRemover, StoredDeadLetter } from '#store';
import { mergedErasure } from '#features/erasures';

/** Why a dead letter of an erased entity is not replayed. */
export const erasedReason = 'its entity has been erased';

/** A dead letter, and the position of the event that a replay has written to Kafka for it. */
interface ReplayedRecord {
  letter: StoredDeadLetter;
  entityId: string | null;
  /** Position of the new record. */
  position: { partition: number; offset: number };
}

/** Returns the erasure that covers a dead letter of this entity; undefined when none does. */
export function erasureCovering(
  definitions: Pick<Definitions, 'stream' | 'erasures'>,
  { stream, partition, offset }: StoredDeadLetter,
  entityId: string,
): Erasure | undefined {
  const id = definitions.stream(stream)?.id;
  const entity_hash = entityHash(stream, entityId);
  const erasure = id && definitions.erasures.get(erasureName({ stream: id, entity_hash }));
  return erasure && offset < (erasure.before[String(partition)] ?? 0) ? erasure : undefined;
}

/**
 * Undoes the replay of entities that were erased between the replay's check and its write: extends their erasures over
 * the new records, and deletes the events of these records from the store. An erasure reads the log's end once more
 * when the entity has dead letters, so either the replay sees the erasure or the erasure sees the new records.
 * @returns the ids of these dead letters
 */
export async function undoErasedReplays(
  {
    definitions,
    eraser,
  }: {
    definitions: Pick<Definitions, 'start' | 'stream' | 'erasures'>;
    eraser: Pick<EventRemover, 'eraseEntity'>;
  },
  replayed: readonly ReplayedRecord[],
  { actor, now }: { actor: Actor; now: EpochMicros },
): Promise<Set<string>> {
  const ids = new Set<string>();
  if (replayed.length > 0) await definitions.start();
  for (const { letter, entityId, position } of replayed) {
    const known = entityId === null ? undefined : erasureCovering(definitions, letter, entityId);
    if (entityId === null || !known) continue;
    const of = { stream: known.stream, entityHash: known.entity_hash };
    const before = { [String(position.partition)]: position.offset + 1 };
    const { value } = await definitions.erasures.change(
      erasureName(known),
      (current) => current && mergedErasure(current, { ...current, before, erased_at: formatTime(now) }),
      actor,
    );
    if (value) await eraser.eraseEntity({ ...of, entityId, before: value.before });
    ids.add(letter.id);
  }
  return ids;
}
