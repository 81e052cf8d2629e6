import { maxStateKeys, type KeyedState, type StateRow } from './keyed-state-store.js';

/** Throws a RangeError for more than `maxStateKeys` keys. */
export function assertKeysBounded(keys: readonly string[]): void {
  if (keys.length <= maxStateKeys) return;
  throw new RangeError(`at most ${maxStateKeys} keys at once, not ${keys.length}`);
}

/** Groups rows by key; the rows must be ordered by key. */
export function groupByKey(rows: readonly StateRow[]): KeyedState[] {
  const keys: { key: string; parts: StateRow[] }[] = [];
  for (const row of rows) {
    const last = keys.at(-1);
    if (last?.key === row.key) last.parts.push(row);
    else keys.push({ key: row.key, parts: [row] });
  }
  return keys;
}
