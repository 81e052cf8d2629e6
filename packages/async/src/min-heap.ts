/**
 * A binary heap of entries by a number; the entry with the smallest one is on top. When the number of an entry changes, its
 * owner adds it again, and the outdated entry remains in the heap until it is on top.
 */
export class MinHeap<T> {
  private readonly heap: { readonly at: number; readonly entry: T }[] = [];

  get size(): number {
    return this.heap.length;
  }

  /** The entry on top, with its number. */
  get top(): { readonly at: number; readonly entry: T } | undefined {
    return this.heap[0];
  }

  push(at: number, entry: T): void {
    const { heap } = this;
    const added = { at, entry };
    let index = heap.push(added) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.at <= at) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = added;
  }

  /** Removes the entry on top, if there is one. */
  pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last && heap.length > 0) this.sink(last);
  }

  /** Removes and returns the entries whose number is at most this one, in the order of their numbers. */
  takeUntil(most: number): T[] {
    const taken: T[] = [];
    for (let top = this.top; top && top.at <= most; top = this.top) {
      taken.push(top.entry);
      this.pop();
    }
    return taken;
  }

  clear(): void {
    this.heap.length = 0;
  }

  private sink(last: { readonly at: number; readonly entry: T }): void {
    const { heap } = this;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}
