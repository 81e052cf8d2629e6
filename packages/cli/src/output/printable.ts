import { visibleText } from '#client';

/** Returns a text with each character that is not visible as `\u{…}`, except line ends. */
export function printableLines(text: string): string {
  return visibleText(text, { keep: '\r\n' }).replace(/\r(?!\n)/g, '\\u{d}');
}

/** Returns lines of JSON in which characters that are not visible are escaped; the values do not change. */
export function printableJson(text: string): string {
  return visibleText(text, { keep: '\n', escape: jsonEscape });
}

function jsonEscape(character: string): string {
  // In JSON these two occur only between values.
  if (character === '\r' || character === '\t') return ' ';
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
