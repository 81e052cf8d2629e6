import type { DeadLetter, EventRow } from '../store.js';

/** What the twin holds: one row per identity, as ClickHouse has after all merges. */
export class MemoryTables {
  private readonly rowsByIdentity = new Map<string, EventRow>();
  private readonly lettersByIdentity = new Map<string, DeadLetter>();

  put(rows: readonly EventRow[]): void {
    for (const row of rows) {
      const identity = JSON.stringify([row.stream, row.timestamp, row.partition, row.offset]);
      this.rowsByIdentity.set(identity, { ...row, event_id: row.event_id.toLowerCase() });
    }
  }

  putLetters(letters: readonly DeadLetter[]): void {
    for (const letter of letters) {
      const identity = JSON.stringify([letter.source, letter.stream, letter.partition, letter.offset]);
      this.lettersByIdentity.set(identity, { ...letter });
    }
  }

  events(): EventRow[] {
    return [...this.rowsByIdentity.values()];
  }

  letters(): DeadLetter[] {
    return [...this.lettersByIdentity.values()];
  }
}

/** Orders text by its UTF-8 bytes, as ClickHouse does; JavaScript's own order is that of UTF-16. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

/** Orders by the first key in which two values differ. */
export function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i], b[i]];
    const order = typeof x === 'string' ? compareText(x, y as string) : (x as number) - (y as number);
    if (order !== 0) return order;
  }
  return 0;
}
