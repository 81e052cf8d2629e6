import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '#api';
import { HttpAnswerMemoryBudget } from '../answers/http-answer-memory-budget.js';
import { registerAnswerLimits } from '../answers/answer-hooks.js';
import type { SlowClientLimits } from '../answers/slow-client-watch.js';
import type { ProcessContext } from './process-context.js';
import { BodyMemoryBudget } from '../body/body-memory-budget.js';
import {
  defaultTimeouts,
  ProblemFastifyAdapter,
  type HttpServerTimeouts,
  type SuggestOtherPort,
} from './fastify-adapter.js';
import { NoParametersGuard } from '../handlers/unknown-parameters.js';
import { registerHttpMetrics } from './http-metrics.js';
import { registerHttpTracing } from './http-tracing.js';
import { nestLogger } from './nest-logger.js';
import { serveOpenApi, type OpenApiOptions } from '../openapi/openapi.js';
import { boundPipelining } from './pipelining.js';
import { PortDrain } from './port-drain.js';
import { namePort } from '../port-name.js';
import { registerBodyParsers } from '../body/read-body.js';
import { ProblemFilter, ProblemSender } from '../problems/send-problem.js';
import { noSniffing } from '../security-headers.js';
import { guardSite } from './site-guard.js';
import { registerSystemRoutes } from './system-routes.js';

/** Module, hooks and limits of one HTTP port. */
export interface HttpAppOptions {
  context: ProcessContext;
  /** Name of this port in the audit; default: the app's name. */
  port?: string;
  /** The Nest module (class or dynamic module) with the controllers that this port serves. */
  module: object;
  /** Adds Fastify hooks and routes, such as authentication, before Nest adds its routes. */
  configure?(instance: FastifyInstance): void;
  /** Accepts requests to any host and from any site. Set it only if every route requires a key. */
  anySite?: boolean;
  /** Says in the answer for an unknown address which other port has it. */
  elsewhere?: SuggestOtherPort;
  /** Title and version of the OpenAPI document; without them, `/openapi.json` and `/docs` are not served. */
  openapi?: OpenApiOptions;
  timeouts?: Partial<HttpServerTimeouts>;
  /** Limit of the bytes of request bodies that this port holds in memory at the same time; default 64 MiB. */
  bodyBytes?: number;
  /**
   * Budget of the bytes of answers in memory, which the ports of a process may share. Default: 64 MiB for this port
   * alone.
   */
  answers?: HttpAnswerMemoryBudget;
  /** Limits below which a client receives its answers so slowly that it is disconnected. */
  sending?: Partial<SlowClientLimits>;
  /** Milliseconds between failing `/health/ready` and rejecting connections at a shutdown; default 500. */
  graceMs?: number;
}

/** Address on which an HTTP port listens. */
interface ListenOptions {
  host: string;
  port: number;
  /** The setting with the port, for the error message when the port is in use. */
  variable: string;
}

/** One HTTP port of a process that need not listen: its Nest application, its Fastify instance, and its drain. */
export interface HttpApp {
  nest: NestFastifyApplication;
  instance: FastifyInstance;
  drain: PortDrain;
}

/** An HTTP port that listens, with its address. */
interface ListeningApp extends HttpApp {
  /** `http://host:port`, with the actual port. */
  url: string;
  port: number;
}

const bodyBytes = 64 * 1024 * 1024;
const answerBytes = 64 * 1024 * 1024;

/** Creates an HTTP port that does not listen. Specs inject requests into it. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { context } = options;
  const sender = new ProblemSender(context.logger);
  const adapter = new ProblemFastifyAdapter(sender, {
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    trustProxy: context.config.TRUST_PROXY,
    elsewhere: options.elsewhere,
  });
  const instance: FastifyInstance = adapter.getInstance<FastifyInstance>();
  namePort(instance, options.port ?? context.name);
  boundPipelining(instance);
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'x-request-id': request.id, ...noSniffing });
    done();
  });
  registerHttpMetrics(instance);
  if (context.tracing) registerHttpTracing(instance, context.tracing);
  const drain = new PortDrain(instance, context);
  const { ALLOWED_HOSTS: allowedHosts, HOST: ownHost } = context.config;
  if (!options.anySite) guardSite(instance, [...allowedHosts, ownHost]);
  options.configure?.(instance);
  registerBodyParsers(instance, {
    budget: new BodyMemoryBudget(options.bodyBytes ?? bodyBytes),
    hasKeys: options.anySite ?? false,
  });
  registerAnswerLimits(instance, {
    budget: options.answers ?? new HttpAnswerMemoryBudget(answerBytes),
    sending: options.sending,
  });
  registerSystemRoutes(instance, context.health);
  const nest = await NestFactory.create<NestFastifyApplication>(options.module as never, adapter as never, {
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(context.logger),
  });
  nest.useGlobalFilters(new ProblemFilter(sender));
  nest.useGlobalGuards(new NoParametersGuard());
  if (options.openapi) serveOpenApi(nest, instance, options.openapi);
  await nest.init();
  await instance.ready();
  return { nest, instance, drain };
}

/**
 * Starts an HTTP port with problem documents, request ids, health routes and metrics. The port listens when the promise
 * resolves, and the lifecycle of the context stops it in order. Until `lifecycle.running` is true, each request except
 * health and metrics gets 503 `starting`.
 * @throws ConfigError when the port cannot be opened
 */
export async function startHttpApp(
  options: HttpAppOptions & { listen: ListenOptions },
): Promise<ListeningApp> {
  const { context, listen } = options;
  const app = await createHttpApp(options);
  await listenOn(app.instance, listen);
  context.lifecycle.onStopPort(listen.variable, async (deadline) => {
    await app.drain.close(options.graceMs ?? 500, deadline);
    await app.nest.close();
  });
  const { port } = app.instance.server.address() as AddressInfo;
  const url = `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${port}`;
  context.logger.info({ url }, 'listening');
  return { ...app, url, port };
}

async function listenOn(instance: FastifyInstance, listen: ListenOptions): Promise<void> {
  try {
    await instance.listen({ host: listen.host, port: listen.port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const address = `${listen.host}:${listen.port}`;
    if (code === 'EADDRINUSE')
      throw new ConfigError(
        `${listen.variable}: ${address} is in use. Stop what uses it, or set another port.`,
      );
    if (code === 'EACCES')
      throw new ConfigError(`${listen.variable}: no permission to listen on ${address}.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new ConfigError(`HOST: ${listen.host} is not an address of this machine.`);
    throw error;
  }
}
