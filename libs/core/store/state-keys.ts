import { maxStateKeys, type UnmergedKeyedState, type KeyedStateRow } from './keyed-state-store.js';

/** @throws RangeError if a query has more than `maxStateKeys` (10 000) keys */
export function assertStateKeysBounded(keys: readonly string[]): void {
  if (keys.length <= maxStateKeys) return;
  throw new RangeError(`at most ${maxStateKeys} keys at once, not ${keys.length}`);
}

/** Groups rows by key; the rows must be ordered by key. */
export function groupByKey(rows: readonly KeyedStateRow[]): UnmergedKeyedState[] {
  const keys: { key: string; parts: KeyedStateRow[] }[] = [];
  for (const row of rows) {
    const last = keys.at(-1);
    if (last?.key === row.key) last.parts.push(row);
    else keys.push({ key: row.key, parts: [row] });
  }
  return keys;
}

/** Returns the states of each key, one for each partition. */
export function statesByKey(found: readonly UnmergedKeyedState[]): Map<string, string[]> {
  return new Map(found.map((one) => [one.key, one.parts.map(({ state }) => state)]));
}
