import { parseTime } from '#event';
import { erasureName, type Erasure } from '#registry';
import type { EventEraser } from '#store';
import type { RemovalTask } from './removal-task.js';

/** Age up to which an erasure is repeated. After a day, no process still has events that it read before the erasure. */
const repeatedForMs = 24 * 3_600_000;
/** Most erasures that one round repeats. Later rounds repeat the others. */
const most = 100;

/**
 * Repeats the removal of erased entities. A materializer that was suspended while another took over its partitions
 * can insert, when it resumes, events that it read before the erasure. Each erasure is repeated whenever its age has
 * doubled, for one day.
 */
export class ScheduledErasureRepeats {
  /** Age of each erasure when it was last repeated, in milliseconds. */
  private readonly done = new Map<string, number>();

  constructor(private readonly eraser: Pick<EventEraser, 'eraseEntity'>) {}

  /**
   * Returns the repetitions that are due.
   * @param now Milliseconds since 1970.
   */
  due(erasures: readonly Erasure[], now: number): RemovalTask[] {
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

/** Identifies an erasure. Two erasures of the same entity at different times have different keys. */
function keyOf(erasure: Erasure): string {
  return `${erasureName(erasure)} ${erasure.erased_at}`;
}
