const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Maximum number of levels in which a value that is not validated may be nested. */
const mostLevels = 16_384;
/** The brackets that are open in the value that is being skipped. Skipping is synchronous. */
const openValues = new Uint8Array(mostLevels);

/** Error: the end of a value cannot be told, because of the character at an index, or because the value is too deep. */
export class UnknownEndError extends Error {
  constructor(
    readonly at: number,
    readonly reason: 'syntax' | 'depth' = 'syntax',
  ) {
    super('the end of the value is unknown');
  }
}

/**
 * Returns the end of a JSON value that may be invalid, or nested deeper than Tributary permits. Only texts and brackets
 * are read, in linear time.
 * @throws UnknownEndError if they cannot tell where the value ends: a bracket that does not match, or a quote that may be
 *   the wrong one, because a word or another text touches the text
 */
export function endOfUnread(text: string, start: number): number {
  let depth = 0;
  /** The end of the last text if nothing but space follows it, else -1. */
  let textEnd = -1;
  let isWord = false;
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      if (isWord || textEnd === i) throw new UnknownEndError(i);
      textEnd = endOfString(text, i);
      i = textEnd - 1;
      if (depth === 0) return textEnd;
    } else if (code === openBrace || code === openBracket) {
      if (depth === mostLevels) throw new UnknownEndError(i, 'depth');
      if (isWord && depth === 0) throw new UnknownEndError(i);
      openValues[depth++] = code;
      textEnd = -1;
      isWord = false;
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === 0) return endOfWord(start, i);
      // The codes of two brackets of one kind differ by 2.
      if (openValues[--depth] !== code - 2) throw new UnknownEndError(i);
      if (depth === 0) return i + 1;
      textEnd = -1;
      isWord = false;
    } else if (code === comma || code === colon) {
      if (depth === 0) return endOfWord(start, i);
      textEnd = -1;
      isWord = false;
    } else if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
      if (textEnd >= 0) throw new UnknownEndError(i);
      isWord = true;
    } else if (depth === 0) return endOfWord(start, i);
  }
  throw new UnknownEndError(text.length);
}

/** Returns the end of a value that is only nested too deep; undefined if brackets and texts do not tell where it ends. */
export function endOfDeepValue(text: string, start: number): number | undefined {
  try {
    return endOfUnread(text, start);
  } catch (error) {
    if (error instanceof UnknownEndError) return undefined;
    throw error;
  }
}

function endOfWord(start: number, end: number): number {
  if (end === start) throw new UnknownEndError(start);
  return end;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) return i + 1;
    if (code === backslash) i++;
  }
  throw new UnknownEndError(text.length);
}
