/** Characters that move the cursor, change colours or reorder text: data must not act on a terminal. */
// eslint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns a text with each control character as `\u{…}`, but those to keep. */
export function printable(text: string, { keep = '' }: { keep?: string } = {}): string {
  return text.replace(unsafe, (one) =>
    keep.includes(one) ? one : `\\u{${one.codePointAt(0)!.toString(16)}}`,
  );
}
