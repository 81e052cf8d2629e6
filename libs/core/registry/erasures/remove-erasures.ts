import type { StreamId } from '#event';
import type { Actor, ResourceStore } from '../resources/resource-store.js';
import { erasureName, type Erasure } from './erasure.js';

/** The most erasures that are removed concurrently. */
const atOnce = 16;

/**
 * Removes the definitions of all erasures of a deleted stream. The caller can repeat the call after an interruption.
 */
export async function removeErasures(
  erasures: ResourceStore<Erasure>,
  stream: StreamId,
  actor: Actor,
): Promise<void> {
  const work = erasures
    .all()
    .filter((erasure) => erasure.stream === stream)
    .values();
  const worker = async (): Promise<void> => {
    for (const erasure of work) await erasures.change(erasureName(erasure), () => undefined, actor);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
