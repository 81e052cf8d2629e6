const isAscii = /^[\0-\x7f]*$/;
/** Between a large letter of ASCII and its small one. */
const distance = 32;
const letters = 26;

/** The text with A to Z as a to z, and all other characters as they are. */
export function lowerAscii(text: string): string {
  return isAscii.test(text) ? text.toLowerCase() : shifted(text, 'A', distance);
}

/** The text with a to z as A to Z, and all other characters as they are. */
export function upperAscii(text: string): string {
  return isAscii.test(text) ? text.toUpperCase() : shifted(text, 'a', -distance);
}

/** Moves the 26 letters that begin with `first`, in place: a call for each run of letters takes ten times as long. */
function shifted(text: string, first: string, by: number): string {
  const bytes = Buffer.from(text, 'utf16le');
  const least = first.charCodeAt(0);
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = bytes[i]!;
    if (bytes[i + 1] === 0 && unit >= least && unit < least + letters) bytes[i] = unit + by;
  }
  return bytes.toString('utf16le');
}
