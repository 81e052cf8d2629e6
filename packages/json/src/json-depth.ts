/** Maximum levels of nesting that `JsonScanner` accepts: `{}` is one level. */
export const maxJsonDepth = 64;

/**
 * Whether JSON text nests deeper than `levels` (`{}` is one level), without a parser, which very deep nesting would
 * exhaust. Never throws; for invalid JSON the result has no meaning.
 */
export function nestsDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > levels) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Returns the index of the closing quote of the string that begins at `start`, or the length of the text. */
export function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return text.length;
}
