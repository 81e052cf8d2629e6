/** Control characters, and characters that reorder or hide text. Line feeds and tabs stay. */
const hidden =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns the text with an escape such as `\u202e` for each character that a reader could not see. */
export function visibleText(text: string): string {
  return text.replace(hidden, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
