import { parseTime } from '#event';
import { erasureName, type Erasure } from '#registry';
import type { EventEraser } from '#store';
import type { Chore } from './chore.js';

/** After a day nobody still holds what was read before. */
const repeatedForMs = 24 * 3_600_000;
/** Repeated in one go; the others have their turn the next time. */
const most = 100;

/**
 * Removes erased entities once more. A materializer that was paused while somebody took over its partitions may insert,
 * when it goes on, what it had read before the erasure. Each erasure is repeated every time that it has become twice as
 * old, for a day.
 */
export class ErasureRepeats {
  /** Age of an erasure when it was last repeated, in milliseconds. */
  private readonly done = new Map<string, number>();

  constructor(private readonly eraser: Pick<EventEraser, 'eraseEntity'>) {}

  /** @param now Milliseconds since 1970. */
  due(erasures: readonly Erasure[], now: number): Chore[] {
    const young = erasures.filter((erasure) => ageOf(erasure, now) < repeatedForMs);
    this.forgetOthers(young);
    return young
      .filter((erasure) => ageOf(erasure, now) >= 2 * (this.done.get(keyOf(erasure)) ?? 0))
      .slice(0, most)
      .map((erasure) => ({
        reason: 'erased',
        stream: erasure.stream,
        run: () => this.repeat(erasure, now),
      }));
  }

  private async repeat(erasure: Erasure, now: number): Promise<number> {
    const { stream, entity_hash: entityHash, before } = erasure;
    const removed = await this.eraser.eraseEntity({ stream, entityHash, before });
    this.done.set(keyOf(erasure), ageOf(erasure, now));
    return removed;
  }

  private forgetOthers(young: readonly Erasure[]): void {
    const known = new Set(young.map(keyOf));
    for (const key of this.done.keys()) if (!known.has(key)) this.done.delete(key);
  }
}

function ageOf({ erased_at }: Erasure, now: number): number {
  return now - (parseTime(erased_at) ?? 0) / 1000;
}

/** A later erasure of the same entity is another one. */
function keyOf(erasure: Erasure): string {
  return `${erasureName(erasure)} ${erasure.erased_at}`;
}
