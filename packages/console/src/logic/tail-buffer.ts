/** Events of a live tail between two paints. */
export class TailBuffer<T> {
  private waiting: T[] = [];
  private shown: T[] = [];
  /** Events that were not painted, because more arrived than the table holds. */
  skipped = 0;
  /** All events that arrived. */
  received = 0;

  /** @param most the number of rows that the table holds */
  constructor(private readonly most: number) {}

  add(item: T): void {
    this.received++;
    this.waiting.push(item);
    if (this.waiting.length <= this.most) return;
    this.waiting.shift();
    this.skipped++;
  }

  /** Events that wait for the next paint. */
  get pending(): number {
    return this.waiting.length;
  }

  /** Returns the rows to paint, the newest first. */
  paint(): readonly T[] {
    if (this.waiting.length === 0) return this.shown;
    this.shown = [...this.waiting.reverse(), ...this.shown].slice(0, this.most);
    this.waiting = [];
    return this.shown;
  }
}
