import { streamName } from '#event';
import type { KnownErasures } from './erasures.js';

/** Nothing is. */
export const nothingErased: KnownErasures = { version: 0, concern: () => false, endOf: () => 0 };

/** Erasures without definitions, for tests of what asks for them. */
export class MemoryErasures implements KnownErasures {
  version = 0;
  /** How often a hash would have been made. */
  asked = 0;
  private readonly ends = new Map<string, number>();

  /** Events of the entity below this offset are erased, in each partition. */
  erase(stream: string, entityId: string, end: number): void {
    this.ends.set(`${stream}/${entityId}`, end);
    this.version++;
  }

  concern(stream: string): boolean {
    return [...this.ends.keys()].some((name) => name.startsWith(`${streamName(stream)}/`));
  }

  endOf({ stream }: { stream: string }, entityId: string): number {
    this.asked++;
    return this.ends.get(`${streamName(stream)}/${entityId}`) ?? 0;
  }
}
