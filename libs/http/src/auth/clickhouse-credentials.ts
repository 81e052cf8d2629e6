import type { IncomingMessage } from 'node:http';
import { AddRouteConfig } from '../route-config.js';
import { authorizationHeader, bearerToken } from './authenticate.js';

/** The part of a route's Fastify config that allows API keys in the form of ClickHouse credentials. */
export interface ClickHouseCredentialsConfig {
  clickHouseCredentials?: boolean;
}

/**
 * Marks a route on which clients may also send the API key the way ClickHouse clients send a password: with `Basic`, or
 * in the header `X-ClickHouse-Key`.
 */
export function ClickHouseCredentials(): MethodDecorator {
  return AddRouteConfig({ clickHouseCredentials: true } satisfies ClickHouseCredentialsConfig);
}

/**
 * Returns the text of the API key in a request of a ClickHouse client: the password of `Basic`, a `Bearer` token, or
 * `X-ClickHouse-Key`.
 * @throws ProblemError 401 `unauthenticated`, 400 `invalid_request`
 */
export function clickHouseKey(request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): string {
  const authorization = authorizationHeader(request);
  const ofClickHouse = [request.headers['x-clickhouse-key']].flat()[0];
  if (authorization === undefined) return ofClickHouse ?? bearerToken(undefined);
  return basicPassword(authorization) ?? bearerToken(authorization);
}

/** Returns the password of `Basic <base64 of user:password>`; undefined for another scheme. */
function basicPassword(authorization: string): string | undefined {
  const encoded = /^basic\s+([\w+/=-]+)$/i.exec(authorization.trim())?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}
