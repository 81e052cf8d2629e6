/** Longest search text for which `String.indexOf` is used, which compares that many characters at each position. */
const shortPart = 8;

/**
 * Searches for one string in time proportional to the sum of the lengths (Knuth, Morris, Pratt). `String.indexOf` may
 * compare a thousand characters at each of 150 000 positions. Positions are UTF-16 units.
 */
export class SubstringSearch {
  private readonly table: Int32Array | undefined;

  constructor(private readonly part: string) {
    if (part.length > shortPart) this.table = restarts(part.length, (i) => part.charCodeAt(i));
  }

  /** Returns the first index of the part at or after `from`; -1 if there is none. */
  first(text: string, from = 0): number {
    const { part, table } = this;
    if (!table) return text.indexOf(part, from);
    for (let at = from, found = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (found > 0 && part.charCodeAt(found) !== unit) found = table[found - 1]!;
      if (part.charCodeAt(found) === unit) found++;
      if (found === part.length) return at - found + 1;
    }
    return -1;
  }

  /** Returns the parts of `text` between the occurrences of the search string. */
  split(text: string): string[] {
    if (!this.table) return text.split(this.part);
    const parts: string[] = [];
    let from = 0;
    for (let at = this.first(text); at >= 0; at = this.first(text, from)) {
      parts.push(text.slice(from, at));
      from = at + this.part.length;
    }
    parts.push(text.slice(from));
    return parts;
  }
}

/** Returns the last index at which `text` contains `part`, in UTF-16 units; -1 if it does not contain it. */
export function lastIndexIn(text: string, part: string): number {
  if (part.length <= shortPart) return text.lastIndexOf(part);
  const last = part.length - 1;
  const table = restarts(part.length, (i) => part.charCodeAt(last - i));
  for (let at = text.length - 1, found = 0; at >= 0; at--) {
    const unit = text.charCodeAt(at);
    while (found > 0 && part.charCodeAt(last - found) !== unit) found = table[found - 1]!;
    if (part.charCodeAt(last - found) === unit) found++;
    if (found === part.length) return at;
  }
  return -1;
}

/** Returns, for each prefix of the part, the length of its longest proper suffix that is also a prefix of the part. */
function restarts(length: number, unitAt: (i: number) => number): Int32Array {
  const table = new Int32Array(length);
  for (let i = 1, found = 0; i < length; i++) {
    while (found > 0 && unitAt(i) !== unitAt(found)) found = table[found - 1]!;
    if (unitAt(i) === unitAt(found)) found++;
    table[i] = found;
  }
  return table;
}
