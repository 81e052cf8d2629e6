/**
 * Characters that move the cursor, change colours, reorder text or hide text. Data must not send them to a terminal.
 */
// eslint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Returns a text with each control character as `\u{…}`, except those in `keep`. */
export function printable(text: string, { keep = '' }: { keep?: string } = {}): string {
  return text.replace(unsafe, (one) =>
    keep.includes(one) ? one : `\\u{${one.codePointAt(0)!.toString(16)}}`,
  );
}

/** Returns a text with each control character as `\u{…}`, except line ends. */
export function printableLines(text: string): string {
  return printable(text, { keep: '\r\n' }).replace(/\r(?!\n)/g, '\\u{d}');
}

/** Returns lines of JSON in which control characters are escaped; the values do not change. */
export function printableJson(text: string): string {
  return text.replace(unsafe, (one) => {
    if (one === '\n') return one;
    // In JSON these two occur only between values.
    if (one === '\r' || one === '\t') return ' ';
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
