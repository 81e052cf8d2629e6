/** Longest name that is compared, in characters: the time grows with the square of the length. */
const longest = 100;

/** Returns the names in the order of their similarity to `given`, the most similar first. */
export function closestFirst(given: string, names: Iterable<string>): string[] {
  return [...names]
    .filter((name) => name.length <= longest)
    .map((name) => ({ name, errors: typingErrors(given, name) }))
    .sort((a, b) => a.errors - b.errors || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/**
 * Whether `name` is probably what the author of `given` meant: at most a third of its characters differ, and of a name with
 * fewer than four characters only their case.
 */
export function isLikelyMeant(given: string, name: string): boolean {
  const shorter = Math.min(given.length, name.length);
  const most = shorter < 4 ? 0 : Math.floor(shorter / 3);
  return typingErrors(given, name) <= most;
}

/**
 * Returns the least number of typing errors between two names, regardless of their case: a character is added, missing,
 * replaced, or swapped with the next one.
 */
function typingErrors(given: string, name: string): number {
  const [a, b] = [given.slice(0, longest).toLowerCase(), name.toLowerCase()];
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1)!;
}
