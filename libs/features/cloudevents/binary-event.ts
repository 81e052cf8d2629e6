import { isUtf8 } from 'node:buffer';
import { isJsonType, utf8TextOf } from '#http';
import { failure, syntaxError, ValidatingJsonScanner } from '#writing';

/** A CloudEvent in binary mode: attributes from headers, data from the body. */
interface BinaryModeCloudEvent {
  attributes: ReadonlyMap<string, string>;
  /** The `Content-Type` header. */
  contentType: string | undefined;
  body: Buffer;
}

/**
 * Converts a CloudEvent in binary mode to the JSON event format. JSON data keeps its text, other UTF-8 text becomes a
 * JSON string, and all other bytes become Base64.
 * @throws ProblemError `invalid_json` when the content type is JSON but the body is not
 */
export function structuredText({ attributes, contentType, body }: BinaryModeCloudEvent): string {
  const datacontenttype = contentType?.trim() ? { datacontenttype: contentType.trim() } : {};
  const head = JSON.stringify({ ...Object.fromEntries(attributes), ...datacontenttype });
  const data = dataMember(body, contentType);
  const separator = head === '{}' || data === '' ? '' : ',';
  return `${head.slice(0, -1)}${separator}${data}}`;
}

function dataMember(body: Buffer, contentType = ''): string {
  if (body.length === 0) return '';
  if (isJsonType(contentType.split(';', 1)[0]!.trim().toLowerCase())) return `"data":${jsonText(body)}`;
  return isText(body, contentType)
    ? `"data":${JSON.stringify(body.toString())}`
    : `"data_base64":"${body.toString('base64')}"`;
}

/** Returns whether the data can become a JSON string: it is UTF-8, and no other character set is declared. */
function isText(body: Buffer, contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  return /^(utf-?8|us-ascii)$/i.test(charset) && isUtf8(body);
}

/** Returns the text of the single JSON value in the body. */
function jsonText(body: Buffer): string {
  const text = utf8TextOf(body).toString();
  const scanner = new ValidatingJsonScanner(text);
  const end = scanner.value(scanner.space(0), 1);
  if (end < 0) throw failure(scanner).toProblem();
  if (scanner.space(end) < text.length) throw syntaxError(scanner.space(end)).toProblem();
  return text.trim();
}
