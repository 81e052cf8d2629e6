import type { Actor, Kind } from '../kind.js';
import { erasureName, type Erasure } from './erasure.js';

/** Removals that are on their way at a time. */
const atOnce = 16;

/** Removes the erasures of a stream that is gone. Can be repeated: it goes on where an earlier one was cut off. */
export async function forgetErasures(
  erasures: Kind<Erasure>,
  { stream, created_at }: { stream: string; created_at: string },
  actor: Actor,
): Promise<void> {
  const names = erasures
    .all()
    .filter((erasure) => erasure.stream === stream && erasure.stream_created_at === created_at)
    .map(({ entity_hash }) => erasureName(stream, entity_hash));
  const work = names.values();
  const worker = async (): Promise<void> => {
    for (const name of work) {
      await erasures.change(
        name,
        (current) => (current?.stream_created_at === created_at ? undefined : current),
        actor,
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, worker));
}
