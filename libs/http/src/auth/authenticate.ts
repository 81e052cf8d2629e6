import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProblemError } from '#api';
import { hashOfKey, keyIdOf } from './api-key.js';
import { secretsPerKey, type ApiKey, type KeyRing, type StoredSecret } from './key-ring.js';
import type { Scope } from './scope.js';

const realm = 'Bearer realm="tributary"';
/** What is compared with where there is no secret, so that it takes as long as with one. No text hashes to it. */
const noSecret: StoredSecret = { sha256: Buffer.alloc(32) };

/**
 * The key of a request, by RFC 6750 and only from the `Authorization` header. Whatever the ring knows of the key, the
 * same is hashed and compared, and the refusal is the same.
 * @throws ProblemError 401 `unauthenticated` (no credentials, or another scheme), 401 `invalid_token`,
 * 400 `invalid_request` (several Authorization headers), each with its `WWW-Authenticate`.
 */
export function authenticate(
  request: Pick<IncomingMessage, 'rawHeaders'>,
  ring: KeyRing,
  now: number,
): ApiKey {
  const text = bearerToken(authorizationHeaders(request.rawHeaders));
  const known = ring.find(keyIdOf(text) ?? '');
  const matches = opens(hashOfKey(text), known?.secrets ?? [], now);
  if (!known || !matches || !isValid(known.expiresAt, now)) throw invalidToken();
  return known;
}

/** @throws ProblemError 403 `insufficient_scope` */
export function authorize(key: ApiKey, scope: Scope): void {
  if (key.scopes.has(scope)) return;
  throw new ProblemError('insufficient_scope', `This needs a key with the scope ${scope}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

function bearerToken(headers: readonly string[]): string {
  const [header, second] = headers;
  if (second !== undefined) {
    throw new ProblemError('invalid_request', 'There is more than one Authorization header.', {
      errors: [{ pointer: 'Authorization', detail: 'must be given once' }],
      headers: { 'www-authenticate': `${realm}, error="invalid_request"` },
    });
  }
  if (header === undefined || !/^bearer(\s|$)/i.test(header)) {
    throw unauthenticated('Send an API key: Authorization: Bearer <key>.');
  }
  const token = header.slice('bearer'.length).trim();
  if (token === '')
    throw unauthenticated(
      'There is no key behind "Bearer": is the variable set that holds it? Send an API key: Authorization: Bearer <key>.',
    );
  return token;
}

function unauthenticated(detail: string): ProblemError {
  return new ProblemError('unauthenticated', detail, { headers: { 'www-authenticate': realm } });
}

/** Node joins or drops repeated headers; the raw list shows what was really sent. */
function authorizationHeaders(raw: readonly string[]): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'authorization');
}

/** Makes `secretsPerKey` comparisons, each in constant time, however many secrets there are. */
function opens(presented: Buffer, secrets: readonly StoredSecret[], now: number): boolean {
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
