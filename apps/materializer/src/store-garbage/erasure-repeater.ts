import { parseTime } from '#json';
import { erasureName, type Erasure } from '#registry';
import type { EventRemover } from '#store';

/**
 * A task of the store garbage collection that removes rows. Running the task twice has the same effect as running it
 * once.
 */
export interface RemovalTask {
  reason: 'time' | 'bytes' | 'erased' | 'deleted' | 'late' | 'verdicts' | 'purge';
  stream: string;
  /** Runs the task, and resolves with the number of removed events. */
  run: () => Promise<number>;
}

/**
 * Maximum age of an erasure that is repeated. After a day, no process still has events in memory that it read before
 * the erasure.
 */
const repeatedForMs = 24 * 3_600_000;
/**
 * Maximum number of erasures that one round of the store garbage collection repeats. Later rounds repeat the remaining
 * erasures.
 */
const most = 100;

/**
 * Repeats the erasure of entities on a schedule. A materializer that was suspended while another process took over its
 * partitions can insert, when it resumes, events that it read before the erasure. Each erasure is repeated whenever its
 * age has doubled, for one day.
 */
export class ErasureRepeater {
  /** Age of each erasure at its last repetition, in milliseconds. */
  private readonly done = new Map<string, number>();

  constructor(private readonly eraser: Pick<EventRemover, 'eraseEntity'>) {}

  /**
   * Returns a task for each erasure that must be repeated now.
   * @param now Milliseconds since 1970.
   */
  due(erasures: readonly Erasure[], now: number): RemovalTask[] {
    const young = erasures.filter((erasure) => ageOf(erasure, now) < repeatedForMs);
    const known = new Set(young.map(keyOf));
    for (const key of this.done.keys()) if (!known.has(key)) this.done.delete(key);
    return young
      .filter((erasure) => ageOf(erasure, now) >= 2 * (this.done.get(keyOf(erasure)) ?? 0))
      .slice(0, most)
      .map((erasure) => ({ reason: 'erased', stream: erasure.stream, run: () => this.repeat(erasure, now) }));
  }

  private async repeat(erasure: Erasure, now: number): Promise<number> {
    const { stream, entity_hash: entityHash, before } = erasure;
    const removed = await this.eraser.eraseEntity({ stream, entityHash, before });
    this.done.set(keyOf(erasure), ageOf(erasure, now));
    return removed;
  }
}

function ageOf({ erased_at }: Erasure, now: number): number {
  return now - (parseTime(erased_at) ?? 0) / 1000;
}

/** Returns a key that identifies an erasure. Two erasures of the same entity at different times have different keys. */
export function keyOf(erasure: Erasure): string {
  return `${erasureName(erasure)} ${erasure.erased_at}`;
}
