import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { limits } from '#event';
import { defaultAccepts, rulesOf, type RouteRules } from '../route-config.js';
import { whenClosed } from '../when-closed.js';
import { BodyDecompressor, type BodyCompression } from './body-decompressor.js';
import {
  BodyMemoryShare,
  collectBody,
  tooLarge,
  type BodyLimits,
  type BodyMemoryBudget,
} from './collect-body.js';

const shares = new WeakMap<FastifyRequest, BodyMemoryShare>();
const decompressor = new BodyDecompressor();

/**
 * Reads every request body of the instance as bytes: handlers get a Buffer that is decompressed, within the size limit
 * of the route, and valid UTF-8 without a byte-order mark unless the route accepts bytes.
 */
export function registerBodyParsers(
  instance: FastifyInstance,
  { budget, hasKeys }: { budget: BodyMemoryBudget; hasKeys: boolean },
): void {
  instance.removeAllContentTypeParsers();
  instance.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET') {
      const share = new BodyMemoryShare(budget);
      shares.set(request, share);
      whenClosed(reply.raw, () => share.end());
    }
    done();
  });
  instance.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const rules = rulesOf(request.routeOptions);
    if (!rules.acceptsBytes) checkMediaType(request, rules, hasKeys);
    return readBody(request, payload, rules);
  });
}

/** Returns the decompressed bytes of the request's body. @throws ProblemError when the request has no body */
export function bodyOf(request: FastifyRequest): Buffer {
  return bytesOf(request.body);
}

/** Returns a body that the body parser has read. @throws ProblemError `invalid_json` when the request had none */
export function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw new ProblemError('invalid_json', 'The request has no body.');
}

/**
 * Returns the bytes of the body and removes the body from the request, so that its memory can be freed before the
 * handler answers.
 * @throws ProblemError when the request has no body
 */
export function takeBody(request: FastifyRequest): Buffer {
  const body = bodyOf(request);
  request.body = undefined;
  return body;
}

/** Returns the bytes of the body and removes the body from the request; returns no bytes if the request has no body. */
export function takeBytes(request: FastifyRequest): Buffer {
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** Returns the media type of the body in lower case, without parameters. */
export function mediaTypeOf(request: FastifyRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

async function readBody(request: FastifyRequest, payload: Readable, rules: RouteRules): Promise<Buffer> {
  const bounds = { share: shares.get(request), limit: rules.bodyBytes ?? limits.definitionBytes };
  const compression = compressionOf(request);
  if (Number(request.headers['content-length'] ?? 0) > bounds.limit) throw tooLarge(bounds.limit);
  const sent = await collectBody(payload, bounds);
  const body = compression ? await decompressor.inflate(sent, compression, bounds) : sent;
  if (rules.acceptsBytes) return body;
  return rules.repairsText && !isUtf8(body) ? repairedText(request, body, bounds) : utf8TextOf(body);
}

const repaired = new WeakSet<FastifyRequest>();
/** Bytes of a body that are repaired at once: most of a body that becomes too large is then not repaired. */
const repairedBytes = 256 * 1024;

/** Returns whether the body was not UTF-8 and has U+FFFD for its invalid bytes. Only for routes with `RepairsText`. */
export function isRepaired(request: FastifyRequest): boolean {
  return repaired.has(request);
}

/** Returns a body with U+FFFD in place of what is not UTF-8, unless that makes it larger than the limit. */
function repairedText(request: FastifyRequest, body: Buffer, { limit, share }: BodyLimits): Buffer {
  repaired.add(request);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const pieces: Buffer[] = [];
  let size = 0;
  for (let start = 0; start < body.length; start += repairedBytes) {
    const end = start + repairedBytes;
    const piece = Buffer.from(decoder.decode(body.subarray(start, end), { stream: end < body.length }));
    size += piece.length;
    if (size > limit) throw notUtf8();
    share?.take(piece.length);
    pieces.push(piece);
  }
  return utf8TextOf(Buffer.concat(pieces));
}

/** Returns whether a media type is one of the types for newline-delimited JSON. */
export function isJsonLines(mediaType: string): boolean {
  return /^application\/(x-)?(ndjson|jsonl|json-?lines)$/.test(mediaType);
}

/** Returns whether a media type is a JSON type. */
export function isJsonType(mediaType: string): boolean {
  return /^[a-z0-9!#$&^_.-]+\/([a-z0-9!#$&^_.+-]+\+)?json$/.test(mediaType);
}

/** Returns whether a browser sends a CORS preflight before a page of another site may send this JSON type. */
function isJson(mediaType: string): boolean {
  return (mediaType.startsWith('application/') && isJsonType(mediaType)) || isJsonLines(mediaType);
}

function checkMediaType(
  request: FastifyRequest,
  { accepts = defaultAccepts, acceptsAny }: RouteRules,
  hasKeys: boolean,
): void {
  const type = mediaTypeOf(request);
  const isAccepted = accepts.includes(type) || (acceptsAny && (hasKeys || isJson(type)));
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (isAccepted && (!charset || /^utf-?8$/i.test(charset))) return;
  throw new ProblemError('unsupported_media_type', `Send the body as ${accepts.join(' or ')}, in UTF-8.`);
}

const compressions = new Map<string, BodyCompression | undefined>([
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['zstd', 'zstd'],
]);

function compressionOf(request: FastifyRequest): BodyCompression | undefined {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (compressions.has(encoding)) return compressions.get(encoding);
  throw new ProblemError('unsupported_media_type', 'The supported Content-Encodings are gzip and zstd.', {
    headers: { 'accept-encoding': 'gzip, zstd' },
  });
}

/**
 * Returns the bytes of a text without the byte-order mark that may precede it: RFC 8259 (section 8.1) allows parsers of
 * JSON to ignore it.
 * @throws ProblemError `invalid_json` when the bytes are not UTF-8
 */
export function utf8TextOf(body: Buffer): Buffer {
  if (!isUtf8(body)) throw notUtf8();
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

export function notUtf8(): ProblemError {
  return new ProblemError('invalid_json', 'The body is not valid UTF-8.');
}
