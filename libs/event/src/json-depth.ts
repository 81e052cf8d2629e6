/**
 * Whether JSON text nests deeper than `levels` (`{}` is one), told without parsing it: a parser would run out of
 * stack on text that is nested deep enough. Of invalid JSON it says something, and never throws.
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

/** The index of the quote that ends the string which begins at `start`, or the text's length. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return text.length;
}
