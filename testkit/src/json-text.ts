/**
 * Functions that return unchanged slices of JSON text. `JSON.parse` turns 9007199254740993 into 9007199254740992 and
 * 0.10 into 0.1, so values that must come back exactly are compared as text.
 */

/** Returns the raw text of each member of the object, by name. @throws SyntaxError if the text is not a JSON object */
export function membersOf(json: string): Map<string, string> {
  const parts = split(json, '{', '}');
  return new Map(
    parts.map((part) => {
      const end = endOfString(part, 0);
      return [JSON.parse(part.slice(0, end)) as string, part.slice(part.indexOf(':', end) + 1).trim()];
    }),
  );
}

/** Returns the raw text of each element of the array. @throws SyntaxError if the text is not a JSON array */
export function elementsOf(json: string): string[] {
  return split(json, '[', ']');
}

/** Returns the texts between the outermost commas of a JSON object or array. */
function split(json: string, open: string, close: string): string[] {
  JSON.parse(json);
  const text = json.trim();
  if (text[0] !== open || !text.endsWith(close)) throw new SyntaxError(`Not a JSON value in ${open}${close}`);
  const parts: string[] = [];
  let depth = 0;
  let start = 1;
  for (let i = 1; i < text.length - 1; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start, -1).trim();
  return last === '' ? parts : [...parts, last];
}

/** Returns the position after the closing quote of the JSON string that starts at `start`. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i + 1;
  }
  throw new SyntaxError('A string does not end');
}
