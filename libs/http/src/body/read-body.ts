import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { BodyShare, type BodyBudget } from './body-budget.js';
import { collect, tooLarge } from './collect-body.js';
import { Inflation, type Compression } from './inflation.js';
import { acceptsAny, acceptsBytes, acceptsOf, bodyLimitOf } from '../route-config.js';
import { whenClosed } from '../when-closed.js';

const shares = new WeakMap<FastifyRequest, BodyShare>();
const inflation = new Inflation();

/** Bodies arrive in handlers as the bytes that were sent: decompressed, valid UTF-8, within the limit. */
export function registerBodyParsers(
  instance: FastifyInstance,
  { budget, hasKeys }: { budget: BodyBudget; hasKeys: boolean },
): void {
  instance.removeAllContentTypeParsers();
  instance.addHook('onRequest', (request, reply, done) => {
    if (request.method !== 'GET') {
      const share = new BodyShare(budget);
      shares.set(request, share);
      whenClosed(reply.raw, () => share.end());
    }
    done();
  });
  instance.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    if (!acceptsBytes(request)) checkMediaType(request, hasKeys);
    return readBody(request, payload);
  });
}

/** @throws ProblemError when the request came without a body. */
export function bodyOf(request: FastifyRequest): Buffer {
  return bytesOf(request.body);
}

/** @throws ProblemError when there are none. */
export function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw new ProblemError('invalid_json', 'The request has no body.');
}

/**
 * The same, for a handler that needs the bytes once: they need not stay in memory until it has answered.
 * @throws ProblemError when the request came without a body.
 */
export function takeBody(request: FastifyRequest): Buffer {
  const body = bodyOf(request);
  request.body = undefined;
  return body;
}

/** The same, of a request that may come without a body: it has no bytes then. */
export function takeBytes(request: FastifyRequest): Buffer {
  const { body } = request;
  request.body = undefined;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** The media type of the body, without parameters, in lower case. */
export function mediaTypeOf(request: FastifyRequest): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

async function readBody(request: FastifyRequest, payload: Readable): Promise<Buffer> {
  const share = shares.get(request);
  const compression = compressionOf(request);
  const limit = bodyLimitOf(request);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const sent = await collect(payload, { share, limit });
  const body = compression ? await inflation.inflate(sent, compression, { share, limit }) : sent;
  if (!acceptsBytes(request)) requireText(body);
  return body;
}

/** Whether a media type is one of JSON values on lines. */
export function isJsonLines(mediaType: string): boolean {
  return /^application\/(x-)?(ndjson|jsonl|json-?lines)$/.test(mediaType);
}

/** Whether a media type is one of JSON. */
export function isJsonType(mediaType: string): boolean {
  return /^[a-z0-9!#$&^_.-]+\/([a-z0-9!#$&^_.+-]+\+)?json$/.test(mediaType);
}

/** Whether a page of another site has to ask before it may send this type. */
function isJson(mediaType: string): boolean {
  return (mediaType.startsWith('application/') && isJsonType(mediaType)) || isJsonLines(mediaType);
}

function checkMediaType(request: FastifyRequest, hasKeys: boolean): void {
  const accepts = acceptsOf(request);
  const type = mediaTypeOf(request);
  const isAccepted = accepts.includes(type) || (acceptsAny(request) && (hasKeys || isJson(type)));
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (isAccepted && (!charset || /^utf-?8$/i.test(charset))) return;
  throw new ProblemError('unsupported_media_type', `Send the body as ${accepts.join(' or ')}, in UTF-8.`);
}

const compressions: Readonly<Record<string, Compression>> = { gzip: 'gzip', 'x-gzip': 'gzip', zstd: 'zstd' };

function compressionOf(request: FastifyRequest): Compression | undefined {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return undefined;
  if (Object.hasOwn(compressions, encoding)) return compressions[encoding];
  throw new ProblemError(
    'unsupported_media_type',
    'The Content-Encodings that are understood are gzip and zstd.',
    {
      headers: { 'accept-encoding': 'gzip, zstd' },
    },
  );
}

/** @throws ProblemError when the bytes are not UTF-8, or begin with a byte-order mark */
export function requireText(body: Buffer): void {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    throw new ProblemError(
      'invalid_json',
      'The body begins with a byte-order mark, which JSON does not allow.',
    );
  if (!isUtf8(body)) throw new ProblemError('invalid_json', 'The body is not valid UTF-8.');
}
