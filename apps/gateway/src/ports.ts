import { DEFINITIONS } from '#app';
import {
  configuredAndIssuedKeys,
  requireApiKeys,
  type ProcessContext,
  type HttpAppOptions,
  type HttpPortOptions,
  type OpenApiOptions,
  HttpAnswerMemoryBudget,
} from '#http';
import type { FastifyInstance } from 'fastify';
import type { Definitions } from '#registry';
import type { GatewayConfig } from './gateway-config.js';
import { consoleFolder, readConsoleFiles, serveRootPage, serveConsole } from './console/serve-console.js';
import { features } from './features.js';
import { GatewayModule, type GatewayOptions } from './gateway.module.js';

const description = [
  'Events are written to Kafka and read from ClickHouse. Times are RFC 3339, ranges include `since` and exclude',
  '`until`. Lists have `limit` and `cursor`. Every answer that is not 2xx is a problem document (RFC 9457) with a stable',
  '`code`.',
].join('\n');

const withKeys = [
  'Send `Authorization: Bearer <API key>`. A key may be limited to scopes and streams, and in requests and events per',
  'second; each instance counts these rates separately.',
].join('\n');

/** Returns the Nest application of the gateway: its module and its two ports. */
export function gatewayApp(
  context: ProcessContext<GatewayConfig>,
  options: Partial<GatewayOptions> = {},
): HttpAppOptions {
  const { answers = new HttpAnswerMemoryBudget(context.config.GATEWAY_ANSWER_MIB * 1024 * 1024) } = options;
  return {
    context,
    module: GatewayModule.with(context, { features, ...options, answers }),
    ...queryPort(context),
    answers,
    otherPorts: [{ ...corePort(context), answers }],
  };
}

/** Returns the options of the core port, for services inside the network: no authentication. */
function corePort(context: ProcessContext<GatewayConfig>): HttpPortOptions {
  const { HOST: host, GATEWAY_CORE_PORT: port } = context.config;
  return {
    port: 'core',
    listen: { host, port, variable: 'GATEWAY_CORE_PORT' },
    elsewhere: sqlElsewhere,
    openapi: document(context, 'core'),
    configure: (instance) => servePages(instance, context, 'core'),
  };
}

/** SQL needs a key, which the core port does not check. */
function sqlElsewhere(path: string): string | undefined {
  if (!/^\/(clickhouse(\/.*)?)?$|sql/i.test(path)) return undefined;
  return 'SQL is on the query port (3902 by default), at /, with an API key that has the scope sql:read.';
}

/**
 * Returns the options of the query port: the same API for all other clients. Only `GET /health/live` works without a
 * key.
 */
function queryPort(context: ProcessContext<GatewayConfig>): HttpPortOptions {
  const { HOST: host, GATEWAY_QUERY_PORT: port, API_KEYS } = context.config;
  if (API_KEYS.length === 0)
    context.logger.warn(
      'API_KEYS is empty: the query port accepts only keys that were issued on the core port',
    );
  return {
    port: 'query',
    listen: { host, port, variable: 'GATEWAY_QUERY_PORT' },
    anySite: true,
    openapi: document(context, 'query'),
    configure: (instance, services) => {
      // The page at `/` needs no key, so it comes before the check of keys.
      servePages(instance, context, 'query');
      const issued = () => services.get<Definitions>(DEFINITIONS);
      requireApiKeys(instance, configuredAndIssuedKeys(context.config, issued));
    },
  };
}

/** Serves the console below `/console` and the page at `/`. */
function servePages(
  instance: FastifyInstance,
  { config, health }: ProcessContext<GatewayConfig>,
  port: 'core' | 'query',
): void {
  const keys = port === 'query';
  const settings = { keys, writes: keys || config.CONSOLE_WRITES, version: health.version };
  serveRootPage(instance);
  serveConsole(instance, { readFiles: () => readConsoleFiles(consoleFolder()), settings });
}

function document(context: ProcessContext, port: 'core' | 'query'): OpenApiOptions {
  const keys = port === 'query';
  return {
    title: `Tributary (${port} port)`,
    description: keys ? `${description}\n\n${withKeys}` : description,
    version: context.health.version,
    keys,
  };
}
