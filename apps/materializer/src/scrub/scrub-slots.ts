/** Number of partitions that one process scrubs at the same time: each has an id window and a range of rows in memory. */
const mostAtOnce = 4;

/** Lets a bounded number of partitions be scrubbed at the same time; the others wait in the order of their calls. */
export class ScrubSlots {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(most = mostAtOnce) {
    this.free = most;
  }

  /**
   * Resolves when the partition may be scrubbed. The slot is free again when the signal is aborted: the partition is no
   * longer owned, or its task is replaced. @throws the signal's reason
   */
  async take(ended: AbortSignal): Promise<void> {
    ended.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.untilFree(ended);
    // The partition can have ended in the moment in which it got the slot.
    if (ended.aborted) this.giveBack();
    ended.throwIfAborted();
    ended.addEventListener('abort', () => this.giveBack(), { once: true });
  }

  private untilFree(ended: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.waiting.delete(begin);
        reject(ended.reason as Error);
      };
      const begin = (): void => {
        this.waiting.delete(begin);
        ended.removeEventListener('abort', stop);
        resolve();
      };
      this.waiting.add(begin);
      ended.addEventListener('abort', stop, { once: true });
    });
  }

  private giveBack(): void {
    // The partition that has waited longest takes over the slot.
    const [next] = this.waiting;
    if (next) next();
    else this.free++;
  }
}
