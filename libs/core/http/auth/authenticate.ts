import { isUtf8 } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { AddRouteConfig, rulesOf } from '../route-config.js';
import { hashOfKey, keyIdOf } from './api-key.js';
import { secretsPerKey, type ApiKey, type KeyRing, type KeySecretHash } from './key-ring.js';
import type { KeyScope } from './scope.js';

const realm = 'Bearer realm="tributary"';
/**
 * Placeholder that is compared if a key has fewer than `secretsPerKey` secrets, so that every comparison takes the same
 * time. The hash is all zero bytes, which is the SHA-256 of no known text, so no token matches it.
 */
const noSecret: KeySecretHash = { sha256: Buffer.alloc(32) };

/**
 * Returns the API key to which this text belongs, if it is known and not expired. An unknown, revoked, expired or
 * mistyped key causes the same work and the same error.
 * @throws ProblemError 401 `invalid_token`, with its `WWW-Authenticate`
 */
export function authenticate(text: string, ring: KeyRing, now: number): ApiKey {
  const known = ring.find(keyIdOf(text) ?? '');
  const matches = hasSecret(known?.secrets ?? [], hashOfKey(text), now);
  if (known && matches && isValid(known.expiresAt, now)) return known;
  throw new ProblemError('invalid_token', 'The API key is unknown, mistyped, revoked or expired.', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  });
}

/**
 * Returns whether the presented hash equals that of a secret that has not expired. The function makes `secretsPerKey`
 * constant-time comparisons, however many secrets the key has.
 */
function hasSecret(secrets: readonly KeySecretHash[], presented: Buffer, now: number): boolean {
  let found = false;
  for (let i = 0; i < secretsPerKey; i++) {
    const { sha256, expiresAt } = secrets[i] ?? noSecret;
    const equal = timingSafeEqual(presented, sha256);
    found = (equal && isValid(expiresAt, now)) || found;
  }
  return found;
}

function isValid(expiresAt: number | undefined, now: number): boolean {
  return expiresAt === undefined || expiresAt > now;
}

/** Requires that a key has a scope, or one of the others. @throws ProblemError 403 `insufficient_scope` */
export function requireKeyScope(key: ApiKey, scope: KeyScope, others: readonly KeyScope[] = []): void {
  const sufficient = [scope, ...others];
  if (sufficient.some((one) => key.scopes.has(one))) return;
  throw new ProblemError(
    'insufficient_scope',
    `This needs a key with the scope ${sufficient.join(' or ')}.`,
    {
      headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
    },
  );
}

/**
 * Marks a route on which clients that know only a URL may send the API key as the password of `Basic`. No answer has a
 * `WWW-Authenticate: Basic`: a browser would ask for the key, keep it, and send it with requests of other sites.
 */
export function AcceptsBasicAuth(): MethodDecorator {
  return applyDecorators(AddRouteConfig({ basicAuth: true }), ApiSecurity('bearer'), ApiSecurity('basic'));
}

/** Marks a route that also accepts the API key as a ClickHouse password: with `Basic`, or in `X-ClickHouse-Key`. */
export function ClickHouseCredentials(): MethodDecorator {
  return applyDecorators(AddRouteConfig({ clickHouseCredentials: true }), AcceptsBasicAuth());
}

/**
 * Returns the text of the API key in a request, in one of the ways that its route accepts.
 * @throws ProblemError 401 `unauthenticated`; 400 `invalid_request` for several Authorization headers, and for a
 * password in the URL
 */
export function sentKey(request: FastifyRequest): string {
  const { clickHouseCredentials, basicAuth } = rulesOf(request.routeOptions);
  if (!clickHouseCredentials) {
    return basicAuth ? tokenOrPassword(authorizationHeader(request.raw)) : bearerKey(request.raw);
  }
  rejectPasswordInUrl(request.query as Readonly<Record<string, string | string[]>>);
  const authorization = authorizationHeader(request.raw);
  const [keyHeader] = [request.headers['x-clickhouse-key']].flat();
  if (authorization === undefined && keyHeader !== undefined) return keyHeader;
  return tokenOrPassword(authorization);
}

/** ClickHouse accepts the parameter `password`. Some clients always send it, without a value. */
function rejectPasswordInUrl({ password = '' }: Readonly<Record<string, string | string[]>>): void {
  if ([password].flat().every((one) => one === '')) return;
  const detail =
    'A key in the URL is not accepted, because servers log URLs. Send it as Authorization: Bearer <key>, as the ' +
    'password of Basic authentication, or in the header X-ClickHouse-Key. If the URL contained a valid key, rotate it.';
  throw new ProblemError('invalid_request', detail, {
    errors: [{ pointer: 'password', detail: 'must not be in the URL' }],
  });
}

/**
 * Returns the text of the API key in a request, read from the `Authorization: Bearer` header only (RFC 6750).
 * @throws ProblemError 401 `unauthenticated` (no credentials, or another scheme), 400 `invalid_request` (several
 * Authorization headers), each with its `WWW-Authenticate`.
 */
export function bearerKey(request: Pick<IncomingMessage, 'rawHeaders'>): string {
  return bearerToken(authorizationHeader(request));
}

/**
 * Returns the `Authorization` header, if any. It is read from `rawHeaders`, because Node joins or drops repeated headers
 * in `headers`. @throws ProblemError 400 `invalid_request` when there are several
 */
function authorizationHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const [header, second] = rawHeaders.filter(
    (_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'authorization',
  );
  if (second === undefined) return header;
  throw new ProblemError('invalid_request', 'There is more than one Authorization header.', {
    errors: [{ pointer: 'Authorization', detail: 'must be given once' }],
    headers: { 'www-authenticate': `${realm}, error="invalid_request"` },
  });
}

/** Returns the token of a `Bearer` header. @throws ProblemError 401 `unauthenticated` */
function bearerToken(header: string | undefined): string {
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) {
    throw unauthenticated('Send an API key: Authorization: Bearer <key>.');
  }
  const token = header.slice('bearer'.length).trim();
  if (token !== '') return token;
  throw unauthenticated(
    'The key after "Bearer" is empty: check the variable that should contain it. Send an API key: Authorization: Bearer <key>.',
  );
}

/**
 * Returns the token of a `Bearer` header, or the password of a `Basic` header (RFC 7617), which is the text after the
 * first colon. @throws ProblemError 401 `unauthenticated`
 */
function tokenOrPassword(header: string | undefined): string {
  if (header === undefined || !/^basic(\s|$)/i.test(header)) return bearerToken(header);
  const encoded = header.slice('basic'.length).trim();
  const pair = Buffer.from(encoded, 'base64');
  const isIntact = pair.toString('base64') === encoded && isUtf8(pair);
  const [, password = ''] = isIntact ? (/^[^:]*:(.*)$/s.exec(pair.toString()) ?? []) : [];
  if (password !== '') return password;
  throw unauthenticated(
    'The password of Basic authentication must be the API key: Authorization: Basic <Base64 of user:key>. The user ' +
      'may be any text without a colon.',
  );
}

/** Returns the problem of a request without usable credentials; its challenge is `Bearer`, never `Basic`. */
function unauthenticated(detail: string): ProblemError {
  return new ProblemError('unauthenticated', detail, { headers: { 'www-authenticate': realm } });
}
