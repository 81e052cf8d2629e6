/** Bytes of texts asked for at once, as they are written into a query. */
const bytesPerQuery = 128 * 1024;
/** What stands for a character that is escaped, at most: `\\x00`, each backslash escaped again. */
const escapedBytes = 8;

/** Servers bound a query's text at 256 KiB unless told otherwise. */
export const longQuery = { max_query_size: String(4 * 1024 * 1024) };

/** A list of texts in parts that one query can name each. */
export function* partsBySize(texts: readonly string[]): Generator<string[]> {
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

function escapedSize(text: string): number {
  // eslint-disable-next-line no-control-regex -- these are what is escaped
  const escaped = text.match(/[\u0000-\u001f'\\\u007f]/g)?.length ?? 0;
  return Buffer.byteLength(text, 'utf8') + escaped * (escapedBytes - 1);
}
