import { visibleText as visible } from '#client';

/** Returns the text with escapes for characters that a reader could not see. Line feeds and tabs stay. */
export function visibleText(text: string): string {
  return visible(text, { keep: '\n\t' });
}
