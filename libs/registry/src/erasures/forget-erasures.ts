import type { StreamId } from '#event';
import type { Actor, Kind } from '../kind/kind.js';
import { erasureName, type Erasure } from './erasure.js';

/** Removals that are on their way at a time. */
const atOnce = 16;

/** Removes the erasures of a stream that is gone. Can be repeated: it goes on where an earlier one was cut off. */
export async function forgetErasures(erasures: Kind<Erasure>, stream: StreamId, actor: Actor): Promise<void> {
  const work = erasures
    .all()
    .filter((erasure) => erasure.stream === stream)
    .values();
  const worker = async (): Promise<void> => {
    for (const erasure of work) await erasures.change(erasureName(erasure), () => undefined, actor);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
