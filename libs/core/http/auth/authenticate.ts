import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#api';
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
  const matches = opens(hashOfKey(text), known?.secrets ?? [], now);
  if (!known || !matches || !isValid(known.expiresAt, now)) throw invalidToken();
  return known;
}

/** Requires that a key has a scope. @throws ProblemError 403 `insufficient_scope` */
export function requireKeyScope(key: ApiKey, scope: KeyScope): void {
  if (key.scopes.has(scope)) return;
  throw new ProblemError('insufficient_scope', `This needs a key with the scope ${scope}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
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

/** Returns the `Authorization` header, if any. @throws ProblemError 400 `invalid_request` when there are several */
export function authorizationHeader({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string | undefined {
  const [header, second] = authorizationHeaders(rawHeaders);
  if (second !== undefined) {
    throw new ProblemError('invalid_request', 'There is more than one Authorization header.', {
      errors: [{ pointer: 'Authorization', detail: 'must be given once' }],
      headers: { 'www-authenticate': `${realm}, error="invalid_request"` },
    });
  }
  return header;
}

/** Returns the token of a `Bearer` header. @throws ProblemError 401 `unauthenticated` */
export function bearerToken(header: string | undefined): string {
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) {
    throw unauthenticated('Send an API key: Authorization: Bearer <key>.');
  }
  const token = header.slice('bearer'.length).trim();
  if (token === '')
    throw unauthenticated(
      'The key after "Bearer" is empty: check the variable that should contain it. Send an API key: Authorization: Bearer <key>.',
    );
  return token;
}

/** Returns the problem of a request without usable credentials; its challenge is `Bearer`, never `Basic`. */
export function unauthenticated(detail: string): ProblemError {
  return new ProblemError('unauthenticated', detail, { headers: { 'www-authenticate': realm } });
}

/**
 * Returns the values of all `Authorization` headers of a request. The headers are read from `rawHeaders`, because Node
 * joins or drops repeated headers in `headers`.
 */
function authorizationHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'authorization');
}

/**
 * Returns whether the presented hash equals that of a secret that has not expired. The function makes `secretsPerKey`
 * constant-time comparisons, however many secrets the key has.
 */
function opens(presented: Buffer, secrets: readonly KeySecretHash[], now: number): boolean {
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

function invalidToken(): ProblemError {
  return new ProblemError('invalid_token', 'The API key is unknown, mistyped, revoked or expired.', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  });
}
