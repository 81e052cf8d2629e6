import { entityHash, formatTime, type Micros } from '#event';
import { erasureName, type Actor, type Definitions, type Erasure } from '#registry';
import type { EventEraser, FoundDeadLetter } from '#store';
import { laterErasure } from '../erasure/later-erasure.js';

/** Why a letter is not replayed. */
export const erased = 'its entity has been erased';

/** A letter that has been written to the log once more. */
export interface Replayed {
  letter: FoundDeadLetter;
  entityId: string | null;
  /** Where it is now. */
  position: { partition: number; offset: number };
}

/** What was erased of a letter's entity, where that covers the letter. */
export function erasureOf(
  definitions: Pick<Definitions, 'stream' | 'erasures'>,
  { stream, partition, offset }: FoundDeadLetter,
  entityId: string,
): Erasure | undefined {
  const id = definitions.stream(stream)?.id;
  const entity_hash = entityHash(stream, entityId);
  const erasure = id && definitions.erasures.get(erasureName({ stream: id, entity_hash }));
  return erasure && offset < (erasure.before[String(partition)] ?? 0) ? erasure : undefined;
}

/**
 * Takes back what a replay has written of entities that were erased between its look and its writing: their erasures are
 * extended over the new records, and what became of these in the store goes. Together with an erasure that looks at
 * the log's end again where there are letters, one of the two always sees the other.
 * @returns the ids of these letters
 */
export async function takeBackErased(
  {
    definitions,
    eraser,
  }: {
    definitions: Pick<Definitions, 'start' | 'stream' | 'erasures'>;
    eraser: Pick<EventEraser, 'eraseEntity'>;
  },
  replayed: readonly Replayed[],
  { actor, now }: { actor: Actor; now: Micros },
): Promise<Set<string>> {
  const ids = new Set<string>();
  if (replayed.length > 0) await definitions.start();
  for (const { letter, entityId, position } of replayed) {
    const known = entityId === null ? undefined : erasureOf(definitions, letter, entityId);
    if (entityId === null || !known) continue;
    const of = { stream: known.stream, entityHash: known.entity_hash };
    const before = { [String(position.partition)]: position.offset + 1 };
    const { value } = await definitions.erasures.change(
      erasureName(known),
      (current) => current && laterErasure(current, { ...current, before, erased_at: formatTime(now) }),
      actor,
    );
    if (value) await eraser.eraseEntity({ ...of, entityId, before: value.before });
    ids.add(letter.id);
  }
  return ids;
}
