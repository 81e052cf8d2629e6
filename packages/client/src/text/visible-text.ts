/**
 * Characters that a reader cannot see, or that change how other text looks: control and format characters, Unicode's
 * Default_Ignorable_Code_Point (soft hyphens, zero-width characters, fillers, variation selectors, tags), line
 * separators, lone surrogates, private and unassigned characters, the blank braille pattern, the null notehead, the object
 * replacement character, and marks after eight others on one letter. Joiners and variation selectors inside an emoji are
 * visible.
 */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}](?<!\p{Extended_Pictographic}\ufe0f)(?<![#*0-9]\ufe0f(?=\u20e3))(?<!(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{EMod})\u200d(?=\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f))|(?<=\p{M}{8})\p{M}/gu;

/**
 * Returns the text with an escape such as `\u{202e}` for each character that a reader could not see, so that text from
 * outside can neither act on a terminal nor pass for other text.
 * @param keep Characters that are not escaped, such as line feeds.
 * @param escape Returns the escape of a character.
 */
export function visibleText(
  text: string,
  { keep = '', escape = escapeOf }: { keep?: string; escape?: (character: string) => string } = {},
): string {
  return text.replace(hidden, (one) => (keep.includes(one) ? one : escape(one)));
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
