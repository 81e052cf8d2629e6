/** Shorter ones are left to the engine's own search, which looks at each place as often as they are long at most. */
const shortPart = 8;

/**
 * Where a text has a part, in time that grows with the length of both, not with their product (Knuth, Morris, Pratt):
 * the engine's own search looks at 150 000 places a thousand characters far each. Places are counted in UTF-16 units.
 */
export class TextSearch {
  private readonly table: Int32Array | undefined;

  constructor(private readonly part: string) {
    if (part.length > shortPart) this.table = restarts(part.length, (i) => part.charCodeAt(i));
  }

  /** Returns the first index at or after `from`, or -1. */
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

  /** The parts of a text between its places. */
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

/** Returns the last index of `part`, or -1. */
export function lastPlace(text: string, part: string): number {
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

/** For each beginning of the part: how much of its end is a beginning of the part again. */
function restarts(length: number, unitAt: (i: number) => number): Int32Array {
  const table = new Int32Array(length);
  for (let i = 1, found = 0; i < length; i++) {
    while (found > 0 && unitAt(i) !== unitAt(found)) found = table[found - 1]!;
    if (unitAt(i) === unitAt(found)) found++;
    table[i] = found;
  }
  return table;
}
