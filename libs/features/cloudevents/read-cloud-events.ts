import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ProblemError, type InputProblem } from '#api';
import { isJsonType, mediaTypeOf, shortPointerTo, takeBytes, utf8TextOf } from '#http';
import { JsonScanner } from '#json';
import { failure, syntaxError, textOf } from '#writing';

export const structuredType = 'application/cloudevents+json';
export const batchType = 'application/cloudevents-batch+json';

/** Content modes of CloudEvents over HTTP. */
export type CloudEventMode = 'binary' | 'structured' | 'batched';

/**
 * Returns the content mode of a request, by its media type.
 * @throws ProblemError 415 for a format other than JSON, and for a request that is not a CloudEvent
 */
export function modeOf(request: FastifyRequest): CloudEventMode {
  const type = mediaTypeOf(request);
  if (type === structuredType) return 'structured';
  if (type === batchType) return 'batched';
  // A page of another site cannot send this header without a CORS preflight.
  if (!type.startsWith('application/cloudevents') && 'ce-specversion' in request.headers) return 'binary';
  const detail = `Send a CloudEvent as ${structuredType}, several as ${batchType}, or one with the header ce-specversion.`;
  throw new ProblemError('unsupported_media_type', detail);
}

/** The content mode of a request, and its CloudEvents as text in the JSON event format. */
interface CloudEventsRequest {
  mode: CloudEventMode;
  /** Text in the JSON event format, in every mode. */
  text: string;
}

/** Reads the CloudEvents of a request. @throws ProblemError when the request is not valid */
export function cloudEventsOf(request: FastifyRequest): CloudEventsRequest {
  const mode = modeOf(request);
  const body = takeBytes(request);
  if (mode === 'binary') return { mode, text: binaryText(request, body) };
  if (body.length === 0) throw new ProblemError('invalid_json', 'The request has no body.');
  return { mode, text: textOf(utf8TextOf(body)) };
}

function binaryText({ raw }: FastifyRequest, body: Buffer): string {
  const attributes = headerAttributes(raw);
  if (Array.isArray(attributes)) throw wrongHeaders(attributes);
  return structuredText({ attributes, contentType: raw.headers['content-type'], body });
}

function wrongHeaders(errors: InputProblem[]): ProblemError {
  return new ProblemError('invalid_request', 'The headers of the CloudEvent are not valid.', { errors });
}

/**
 * Returns a function from the index of an event and the name of an attribute to the pointer with which an error names
 * it: a header in binary mode, a JSON pointer otherwise. An empty name means the whole event.
 */
export function pointerIn(mode: CloudEventMode): (index: number, name: string) => string {
  if (mode === 'binary') return (_, name) => (name === '' ? '' : headerOf(name));
  return (index, name) => {
    const event = mode === 'batched' ? `/${index}` : '';
    return name === '' ? event : shortPointerTo(event, name);
  };
}

function headerOf(name: string): string {
  if (name === 'datacontenttype') return 'content-type';
  return name.startsWith('data') && name !== 'dataschema' ? '' : `ce-${name}`;
}

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
  const scanner = new JsonScanner(text);
  const end = scanner.value(scanner.space(0), 1);
  if (end < 0) throw failure(scanner).toProblem();
  if (scanner.space(end) < text.length) throw syntaxError(scanner.space(end)).toProblem();
  return text.trim();
}
