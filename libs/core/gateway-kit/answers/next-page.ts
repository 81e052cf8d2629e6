/**
 * Returns the headers that link to the next page: `X-Next-Cursor`, and `Link` (RFC 8288) with the same request and that
 * cursor. Media types whose body cannot have a cursor need them; JSON answers have them too. The link omits `wait_for`,
 * because its positions have been reached.
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
