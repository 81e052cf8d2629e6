/** Returns the most similar name, of which at most two or a third of the characters differ. */
export function mostSimilar(given: string, names: readonly string[]): string | undefined {
  const most = given.length < 4 ? 1 : Math.max(2, Math.floor(given.length / 3));
  return names
    .map((name) => ({ name, changes: changesBetween(given, name) }))
    .filter(({ changes }) => changes <= most)
    .toSorted((a, b) => a.changes - b.changes)[0]?.name;
}

/** Returns the number of characters to add, remove or replace (Levenshtein). */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
