/** Returns the number of bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) bytes += code > 0x7ff && !isSurrogate(code) ? 2 : 1;
  }
  return bytes;
}

/** Whether a code unit is a surrogate. Two surrogates are one character of four bytes. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}
