/** The position of an error in a text. */
interface ErrorPosition {
  /** UTF-16 index from 0. */
  at: number;
  message: string;
}

/** Returns the position that a problem names as `(at character 12)`; undefined if it names none. */
export function positionOf(detail: string): ErrorPosition | undefined {
  const [all, number] = /\s*\(at character (\d+)\)/.exec(detail) ?? [];
  if (all === undefined || number === undefined) return undefined;
  return { at: Number(number) - 1, message: detail.replace(all, '') };
}

/** Splits a text at the erroneous character; at the end of the text the character is a space. */
export function splitAt(text: string, at: number): { before: string; wrong: string; after: string } {
  const index = Math.min(Math.max(at, 0), text.length);
  return { before: text.slice(0, index), wrong: text[index] ?? ' ', after: text.slice(index + 1) };
}
