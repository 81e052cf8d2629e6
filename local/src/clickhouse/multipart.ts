/**
 * Returns the parts of a `multipart/form-data` body by name. Supports text only: ClickHouse's clients send such
 * bodies when the parameters of a query are too long for the URL.
 */
export function readMultipart(body: Buffer, contentType: string): Map<string, string> {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  const parts = new Map<string, string>();
  if (!boundary) return parts;
  const sections = `\r\n${body.toString('utf8')}`.split(`\r\n--${boundary}`);
  for (const section of sections.slice(1, -1)) {
    const headEnd = section.indexOf('\r\n\r\n');
    const name = /name="([^"]*)"/i.exec(section.slice(0, headEnd))?.[1];
    if (headEnd >= 0 && name) parts.set(name, section.slice(headEnd + 4));
  }
  return parts;
}
