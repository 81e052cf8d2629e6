/**
 * The headers that lead to the next page, for forms whose body has no place for it (and for JSON as well):
 * `X-Next-Cursor`, and `Link` with the same request and that cursor (RFC 8288). `wait_for` is left out: what it
 * waited for is there.
 */
export function nextPageHeaders(url: string, nextCursor: string | undefined): Record<string, string> {
  if (nextCursor === undefined) return {};
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.delete('wait_for');
  parameters.set('cursor', nextCursor);
  return {
    'x-next-cursor': encodeURIComponent(nextCursor),
    link: `<${encodeURI(decodedPath(path))}?${parameters.toString()}>; rel="next"`,
  };
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
