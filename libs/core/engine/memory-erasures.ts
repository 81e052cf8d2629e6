import { streamNameOf } from '#event';
import type { ErasureLookup, Erasures } from './erasures.js';

/** An erasure look-up in which no entity is erased, for specs and tools. */
export const noErasures: ErasureLookup & Pick<Erasures, 'reuseOffsets'> = {
  version: 0,
  concern: () => false,
  endOf: () => 0,
  reuseOffsets: async () => undefined,
};

/** In-memory fake of `Erasures`, in which specs mark entities as erased. */
export class MemoryErasures implements ErasureLookup {
  version = 0;
  /** Number of calls of `endOf`; each would compute a hash in the real class. */
  asked = 0;
  private readonly ends = new Map<string, number>();

  /** Marks the entity's events below this offset as erased, in each partition. */
  erase(stream: string, entityId: string, end: number): void {
    this.ends.set(`${stream}/${entityId}`, end);
    this.version++;
  }

  async reuseOffsets(
    { stream }: { stream: string },
    from: number,
    _complete: Parameters<Erasures['reuseOffsets']>[2],
  ): Promise<void> {
    for (const [name, end] of this.ends)
      if (name.startsWith(`${streamNameOf(stream)}/`)) this.ends.set(name, Math.min(end, from));
    this.version++;
  }

  concern(stream: string): boolean {
    return [...this.ends.keys()].some((name) => name.startsWith(`${streamNameOf(stream)}/`));
  }

  endOf({ stream }: { stream: string }, entityId: string): number {
    this.asked++;
    return this.ends.get(`${streamNameOf(stream)}/${entityId}`) ?? 0;
  }
}
