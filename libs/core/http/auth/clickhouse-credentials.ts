import { applyDecorators } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { AddRouteConfig } from '../route-config.js';
import { authorizationHeader } from './authenticate.js';
import { AcceptsBasicAuth, tokenOrPassword } from './basic-auth.js';

/** The part of a route's Fastify config that allows API keys in the form of ClickHouse credentials. */
export interface ClickHouseCredentialsRouteConfig {
  clickHouseCredentials?: boolean;
}

/**
 * Marks a route on which clients may also send the API key the way ClickHouse clients send a password: with `Basic`, or
 * in the header `X-ClickHouse-Key`.
 */
export function ClickHouseCredentials(): MethodDecorator {
  const config = AddRouteConfig({ clickHouseCredentials: true } satisfies ClickHouseCredentialsRouteConfig);
  return applyDecorators(config, AcceptsBasicAuth());
}

/**
 * Returns the text of the API key in a request of a ClickHouse client: the password of `Basic`, a `Bearer` token, or
 * `X-ClickHouse-Key`.
 * @throws ProblemError 401 `unauthenticated`; 400 `invalid_request` for several Authorization headers, and for a
 * password in the URL
 */
export function clickHouseKey(request: Pick<FastifyRequest, 'raw' | 'headers' | 'query'>): string {
  refusePasswordInUrl(request.query as Readonly<Record<string, string | string[]>>);
  const authorization = authorizationHeader(request.raw);
  const ofClickHouse = [request.headers['x-clickhouse-key']].flat()[0];
  if (authorization === undefined && ofClickHouse !== undefined) return ofClickHouse;
  return tokenOrPassword(authorization);
}

/** ClickHouse accepts the parameter `password`. Some clients always send it, without a value. */
function refusePasswordInUrl({ password = '' }: Readonly<Record<string, string | string[]>>): void {
  if ([password].flat().every((one) => one === '')) return;
  const detail =
    'A key in the URL is not accepted, because servers log URLs. Send it as Authorization: Bearer <key>, as the ' +
    'password of Basic authentication, or in the header X-ClickHouse-Key. If the URL contained a valid key, rotate it.';
  throw new ProblemError('invalid_request', detail, {
    errors: [{ pointer: 'password', detail: 'must not be in the URL' }],
  });
}
