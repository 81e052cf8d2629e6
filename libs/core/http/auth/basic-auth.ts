import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { AddRouteConfig } from '../route-config.js';
import { authorizationHeader, bearerToken, unauthenticated } from './authenticate.js';

/** The part of a route's Fastify config that allows the API key as the password of `Basic` authentication. */
export interface BasicAuthRouteConfig {
  basicAuth?: boolean;
}

/**
 * Marks a route on which clients that know only a URL may send the API key as the password of `Basic`. No answer has a
 * `WWW-Authenticate: Basic`: a browser would ask for the key, keep it, and send it with requests of other sites.
 */
export function AcceptsBasicAuth(): MethodDecorator {
  const config = AddRouteConfig({ basicAuth: true } satisfies BasicAuthRouteConfig);
  return applyDecorators(config, ApiSecurity('bearer'), ApiSecurity('basic'));
}

/**
 * Returns the text of the API key in a request: a `Bearer` token or the password of `Basic`.
 * @throws ProblemError 401 `unauthenticated`; 400 `invalid_request` for several Authorization headers
 */
export function bearerOrBasicKey(request: Pick<IncomingMessage, 'rawHeaders'>): string {
  return tokenOrPassword(authorizationHeader(request));
}

/**
 * Returns the token of a `Bearer` header, or the password of a `Basic` header (RFC 7617), which is the text after the
 * first colon. @throws ProblemError 401 `unauthenticated`
 */
export function tokenOrPassword(header: string | undefined): string {
  if (header === undefined || !/^basic(\s|$)/i.test(header)) return bearerToken(header);
  const encoded = header.slice('basic'.length).trim();
  const pair = Buffer.from(encoded, 'base64');
  const isValid = pair.toString('base64') === encoded && isUtf8(pair);
  const [, password = ''] = isValid ? (/^[^:]*:(.*)$/s.exec(pair.toString()) ?? []) : [];
  if (password !== '') return password;
  throw unauthenticated(
    'The password of Basic authentication must be the API key: Authorization: Basic <Base64 of user:key>. The user ' +
      'may be any text without a colon.',
  );
}
