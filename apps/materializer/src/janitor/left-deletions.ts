import { systemActor, type Definitions } from '#registry';
import type { EventEraser } from '#store';
import type { Chore } from './chore.js';

/** Whoever has begun a deletion goes on with it himself for so long. */
const patienceMs = 60_000;

/** Finishes the deletions of streams that somebody has begun and left. */
export class LeftDeletions {
  /** When each was first seen, in milliseconds since 1970. */
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly definitions: Pick<Definitions, 'streams' | 'deleteStream'>,
    private readonly eraser: Pick<EventEraser, 'dropStream'>,
  ) {}

  /** To be called more often than the patience is long. @param now Milliseconds since 1970. */
  due(now: number): Chore[] {
    const deleting = this.definitions.streams().filter(({ state }) => state === 'deleting');
    const names = new Set(deleting.map(({ stream }) => stream));
    for (const stream of this.seen.keys()) if (!names.has(stream)) this.seen.delete(stream);
    for (const stream of names) if (!this.seen.has(stream)) this.seen.set(stream, now);
    return [...names]
      .filter((stream) => now - (this.seen.get(stream) ?? now) >= patienceMs)
      .map((stream) => ({ reason: 'deleted', stream, run: () => this.finish(stream) }));
  }

  private async finish(stream: string): Promise<number> {
    const { definitions, eraser } = this;
    await definitions.deleteStream(stream, (id) => eraser.dropStream(id), systemActor);
    return 0;
  }
}
