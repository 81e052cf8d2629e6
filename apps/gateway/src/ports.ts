import {
  ConfiguredKeyRing,
  requireApiKeys,
  type AppContext,
  type HttpAppOptions,
  type OpenApiOptions,
} from '#http';
import { metrics } from '#telemetry';
import type { GatewayConfig } from './config.js';
import { GatewayModule, type GatewayParts } from './gateway.module.js';

const description = [
  'Events are written to Kafka and read from ClickHouse. Times are RFC 3339, ranges include `since` and exclude',
  '`until`. Lists have `limit` and `cursor`. Every answer that is not 2xx is a problem document (RFC 9457) with a stable',
  '`code`. Where keys are required, send `Authorization: Bearer <API key>`.',
].join('\n');

/** The core port: services inside the network, no authentication. */
export function corePort(context: AppContext<GatewayConfig>, parts: GatewayParts): HttpAppOptions {
  return { context, port: 'core', module: GatewayModule.with(parts), openapi: document(context, 'core') };
}

/** The query port: the same API for everyone else, nothing but `GET /health/live` without a key. */
export function queryPort(context: AppContext<GatewayConfig>, parts: GatewayParts): HttpAppOptions {
  const keyRing = new ConfiguredKeyRing(context.config.API_KEYS);
  if (keyRing.size === 0) context.logger.warn('API_KEYS is empty: the query port refuses every request');
  return {
    ...corePort(context, parts),
    port: 'query',
    openapi: document(context, 'query'),
    configure: (instance) =>
      requireApiKeys(instance, { keyRing, onRefused: (code) => metrics.authRefused.inc({ code }) }),
  };
}

function document(context: AppContext, port: string): OpenApiOptions {
  return { title: `Tributary (${port} port)`, description, version: context.health.version };
}
