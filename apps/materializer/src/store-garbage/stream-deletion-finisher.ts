import { streamNameOf, type StreamId } from '#event';
import { systemActor, type Definitions } from '#registry';
import type { EventRemover } from '#store';
import type { RemovalTask } from './removal-task.js';

/** Milliseconds for which the process that began a stream deletion has time to finish the deletion itself. */
const patienceMs = 60_000;

/** Finishes stream deletions that were begun by a process that ended before the deletion was complete. */
export class StreamDeletionFinisher {
  /** Time at which each unfinished deletion was first seen, in milliseconds since 1970. */
  private readonly seen = new Map<StreamId, number>();

  constructor(
    private readonly definitions: Pick<Definitions, 'streams' | 'finishDeletion'>,
    private readonly eraser: Pick<EventRemover, 'dropStream'>,
  ) {}

  /**
   * Returns a task for each unfinished deletion that was first seen at least a minute ago. The caller calls this method
   * at least once a minute.
   * @param now Milliseconds since 1970.
   */
  due(now: number): RemovalTask[] {
    const deleting = this.definitions.streams().filter(({ state }) => state === 'deleting');
    const ids = new Set(deleting.map(({ id }) => id));
    for (const id of this.seen.keys()) if (!ids.has(id)) this.seen.delete(id);
    for (const id of ids) if (!this.seen.has(id)) this.seen.set(id, now);
    return [...ids]
      .filter((id) => now - (this.seen.get(id) ?? now) >= patienceMs)
      .map((id) => ({ reason: 'deleted', stream: streamNameOf(id), run: () => this.finish(id) }));
  }

  private async finish(id: StreamId): Promise<number> {
    await this.definitions.finishDeletion(id, (one) => this.eraser.dropStream(one), systemActor);
    return 0;
  }
}
