import { compareUtf8, type EpochMicros } from '#json';

/** The key of a state row, and the watermark at which the row closes. */
export interface RowClosingTime {
  readonly closesAt: EpochMicros;
  readonly key: string;
}

/**
 * Compares two rows by closing time, and then bytewise by key. ClickHouse sorts in the same order, so cached and stored
 * rows close in one order.
 */
export function compareDue(a: RowClosingTime, b: RowClosingTime): number {
  if (a.closesAt !== b.closesAt) return a.closesAt - b.closesAt;
  return compareUtf8(a.key, b.key);
}

/**
 * A binary heap of state rows by closing time; the row that closes first is on top. When the closing time of a row
 * changes, the outdated entry remains in the heap, and the caller skips it.
 */
export class ClosingTimeHeap {
  private readonly heap: RowClosingTime[] = [];

  get size(): number {
    return this.heap.length;
  }

  get top(): RowClosingTime | undefined {
    return this.heap[0];
  }

  push(due: RowClosingTime): void {
    const { heap } = this;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.closesAt <= due.closesAt) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = due;
  }

  /** Removes and returns the rows that close at or before the watermark, in no defined order. */
  takeUntil(watermark: EpochMicros): RowClosingTime[] {
    const taken: RowClosingTime[] = [];
    while (this.heap.length > 0 && this.heap[0]!.closesAt <= watermark) taken.push(this.pop());
    return taken;
  }

  clear(): void {
    this.heap.length = 0;
  }

  private pop(): RowClosingTime {
    const { heap } = this;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) this.sink(last);
    return top;
  }

  private sink(due: RowClosingTime): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.closesAt < heap[child]!.closesAt) child++;
      if (heap[child]!.closesAt >= due.closesAt) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = due;
  }
}
