import type { StreamId } from '#event';
import type { Actor, Kind } from '../kind/kind.js';
import { erasureName, type Erasure } from './erasure.js';

/** The most erasures that are removed concurrently. */
const atOnce = 16;

/** Removes the erasures of a deleted stream. The caller can repeat the call after an interruption. */
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
