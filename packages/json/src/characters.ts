/** Minimum (default 1) and maximum number of characters (Unicode code points), both inclusive. */
export interface CharacterCountBounds {
  least?: number;
  most: number;
}

/**
 * Returns whether the number of characters is within the bounds. A character is a code point, as in JSON Schema: an
 * emoji may be one, and a letter with a combining accent is two.
 */
export function hasCharacters(text: string, { least = 1, most }: CharacterCountBounds): boolean {
  const units = text.length;
  // A code point is one or two UTF-16 units.
  if (units < least || units > 2 * most) return false;
  if (units <= most && units >= 2 * least) return true;
  const count = charactersOf(text);
  return count >= least && count <= most;
}

/** Returns the number of code points of a text. Each half of a broken surrogate pair counts as one. */
export function charactersOf(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) pairs++;
  }
  return text.length - pairs;
}
