const isAscii = /^[\0-\x7f]*$/;
/** Difference between the character codes of a lowercase ASCII letter and its uppercase letter. */
const distance = 32;
const letters = 26;

/** Returns the text with A to Z in lowercase, and all other characters unchanged. */
export function lowerAscii(text: string): string {
  return isAscii.test(text) ? text.toLowerCase() : shifted(text, 'A', distance);
}

/** Returns the text with a to z in uppercase, and all other characters unchanged. */
export function upperAscii(text: string): string {
  return isAscii.test(text) ? text.toUpperCase() : shifted(text, 'a', -distance);
}

/**
 * Adds `by` to the codes of the 26 letters that begin with `first`, in one pass over a copy of the text: one call for
 * each run of letters would take ten times as long.
 */
function shifted(text: string, first: string, by: number): string {
  const bytes = Buffer.from(text, 'utf16le');
  const least = first.charCodeAt(0);
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = bytes[i]!;
    if (bytes[i + 1] === 0 && unit >= least && unit < least + letters) bytes[i] = unit + by;
  }
  return bytes.toString('utf16le');
}
