/** Shortest name that is compared: many names of three characters are one character apart. */
const shortest = 4;

/**
 * Returns whether two names differ by one added, missing, replaced or swapped character, as after a typing error. Digits do
 * not count as errors: `orders1` and `orders2` are two names.
 */
export function isMisspelling(a: string, b: string): boolean {
  if (a === b || Math.min(a.length, b.length) < shortest || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (/\d/.test(left + right)) return false;
  const isSwapped = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return (left.length <= 1 && right.length <= 1) || isSwapped;
}
