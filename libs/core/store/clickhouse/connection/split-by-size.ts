/** Maximum number of bytes of the texts in one query, in escaped form: less than one parameter may have. */
const bytesPerQuery = 100 * 1024;
/** Maximum number of bytes of an escaped character: `\\x00`, with each backslash escaped again. */
const escapedBytes = 8;

/** Splits a list of texts, such as ids, into parts that are each small enough for the parameters of one query. */
export function* splitBySize(texts: readonly string[]): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = escapedSize(text) + 3;
    if (part.length > 0 && bytes + size > bytesPerQuery) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(text);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** Returns the bytes of a text in a list that the client sends as a parameter, or a little more. */
export function escapedSize(text: string): number {
  // eslint-disable-next-line no-control-regex -- these characters are escaped
  const escaped = text.match(/[\u0000-\u001f'\\\u007f]/g)?.length ?? 0;
  return Buffer.byteLength(text, 'utf8') + escaped * (escapedBytes - 1);
}
