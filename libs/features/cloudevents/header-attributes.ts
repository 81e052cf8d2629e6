import type { IncomingMessage } from 'node:http';
import type { InputProblem } from '#api';

const prefix = 'ce-';

/**
 * Returns the attributes of a CloudEvent in binary mode from the `ce-…` headers, by name; or the errors of invalid
 * headers. https://github.com/cloudevents/spec/blob/main/cloudevents/bindings/http-protocol-binding.md (3.1.3.2)
 */
export function headerAttributes({
  rawHeaders,
}: Pick<IncomingMessage, 'rawHeaders'>): Map<string, string> | InputProblem[] {
  const attributes = new Map<string, string>();
  const errors: InputProblem[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!.toLowerCase();
    if (!header.startsWith(prefix)) continue;
    const name = header.slice(prefix.length);
    const value = decodeHeader(rawHeaders[i + 1]!);
    const wrong = attributes.has(name) ? 'must be sent once' : wrongIn(name, value);
    if (wrong !== undefined) errors.push({ pointer: header, detail: wrong });
    else attributes.set(name, value!);
  }
  return errors.length > 0 ? errors : attributes;
}

function wrongIn(name: string, value: string | undefined): string | undefined {
  if (name === 'datacontenttype') return 'must not be sent: use Content-Type';
  if (name === 'data') return 'must not be sent: the body is the data';
  return value === undefined ? 'must be percent-encoded UTF-8' : undefined;
}

/**
 * Decodes the value of a `ce-…` header: removes quotes, then decodes percent-encoding once. Returns undefined if it is
 * not ASCII or the decoded bytes are not UTF-8.
 */
export function decodeHeader(value: string): string | undefined {
  const text = /^".*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  if (!/^[\t\x20-\x7e]*$/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
