import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { InjectionToken, NestApplicationOptions, LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '#api';
import { NoParametersGuard } from '../handlers/decorators.js';
import { protectDocuments, serveDocuments } from '../openapi/openapi.js';
import { ProblemFilter, ProblemSender } from '../problems/send-problem.js';
import {
  createHttpPort,
  rejectRoutesOfOtherPorts,
  serveRoutesOf,
  type HttpPort,
  type HttpPortOptions,
  type PortServices,
  type ListenOptions,
} from './http-port.js';
import type { ProcessContext } from './process-context.js';
import type { Logger } from '#telemetry';

/** Creates a Nest application, as `NestFactory.create` does. */
export type CreateNest = (
  module: object,
  adapter: FastifyAdapter,
  options: NestApplicationOptions,
) => Promise<NestFastifyApplication>;

const createNest: CreateNest = (module, adapter, options) =>
  NestFactory.create<NestFastifyApplication>(module as never, adapter as never, options);

/** Module and ports of one Nest application. The members of a port are those of the first, which serves every route. */
export interface HttpAppOptions extends HttpPortOptions {
  context: ProcessContext;
  /** The Nest module (class or dynamic module) with the controllers of all ports. */
  module: object;
  /** Creates the Nest application; default: `NestFactory.create`. Specs replace providers. */
  create?: CreateNest;
  /** Further ports. Each serves the routes of the first port, except those of `OnlyOnPort`. */
  otherPorts?: readonly HttpPortOptions[];
}

/** A Nest application that need not listen, with its first port and its further ports. */
export interface HttpApp extends HttpPort {
  nest: NestFastifyApplication;
  otherPorts: readonly HttpPort[];
}

/** A Nest application whose ports listen, with the address of the first one. */
interface ListeningApp extends HttpApp {
  /** `http://host:port`, with the actual port; empty, and the port 0, if the first port does not listen. */
  url: string;
  port: number;
}

/** Creates a Nest application whose ports do not listen. Specs inject requests into them. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { context, create = createNest, otherPorts: others = [] } = options;
  const sender = new ProblemSender(context.logger);
  const created: { nest?: NestFastifyApplication } = {};
  const services: PortServices = {
    get<T>(token: InjectionToken<T>): T {
      if (!created.nest) throw new Error('A hook of a port needs a service before Nest has created it');
      return created.nest.get<T>(token, { strict: false });
    },
  };
  const { adapter, ...first } = createHttpPort(context, { sender, services }, options);
  protectDocuments(first.instance);
  rejectRoutesOfOtherPorts(first);
  const otherPorts = others.map((port) => {
    const { adapter: _, ...other } = createHttpPort(context, { sender, services }, port);
    serveRoutesOf(first.instance, other);
    return other;
  });
  const nest = await create(options.module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger(context.logger),
  });
  created.nest = nest;
  nest.useGlobalFilters(new ProblemFilter(sender));
  nest.useGlobalGuards(new NoParametersGuard());
  const documented = [options, ...others].flatMap(({ openapi }, index) =>
    openapi ? [{ ...([first, ...otherPorts][index] as HttpPort), openapi }] : [],
  );
  if (documented.length > 0) serveDocuments(nest, documented);
  await nest.init();
  for (const { instance } of [first, ...otherPorts]) await instance.ready();
  return { nest, ...first, otherPorts };
}

/**
 * Starts a Nest application with problem documents, request ids, health routes and metrics. Its ports listen when the
 * promise resolves, and the lifecycle of the context stops them in order. Until `lifecycle.running` is true, each
 * request except health and metrics gets 503 `starting`.
 * @throws ConfigError when a port cannot be opened
 */
export async function startHttpApp(options: HttpAppOptions): Promise<ListeningApp> {
  const { context, otherPorts = [] } = options;
  const app = await createHttpApp(options);
  const ports = [options, ...otherPorts].map(({ listen, graceMs = 500 }, index) => {
    const { instance, drain } = [app, ...app.otherPorts][index] as HttpPort;
    return { listen, graceMs, instance, drain };
  });
  context.lifecycle.onStopPort('http', async (deadline) => {
    await Promise.all(ports.map(({ drain, graceMs }) => drain.close(graceMs, deadline)));
    await app.nest.close();
    await Promise.all(app.otherPorts.map(({ instance }) => instance.close()));
  });
  const urls: string[] = [];
  for (const { instance, listen } of ports) {
    if (!listen) continue;
    await listenOn(instance, listen);
    urls.push(urlOf(instance, listen));
    context.logger.info({ url: urls.at(-1) }, 'listening');
  }
  return { ...app, url: urls[0] ?? '', port: options.listen ? portNumberOf(app.instance) : 0 };
}

function urlOf(instance: FastifyInstance, { host }: ListenOptions): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${portNumberOf(instance)}`;
}

function portNumberOf(instance: FastifyInstance): number {
  return (instance.server.address() as AddressInfo).port;
}

async function listenOn(instance: FastifyInstance, listen: ListenOptions): Promise<void> {
  try {
    await instance.listen({ host: listen.host, port: listen.port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { host, port, variable } = listen;
    if (code === 'EADDRINUSE')
      throw new ConfigError(
        `${variable}: ${host}:${port} is in use. Stop what uses it, or set another port.`,
      );
    if (code === 'EACCES') throw new ConfigError(`${variable}: no permission to listen on ${host}:${port}.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new ConfigError(`HOST: ${host} is not an address of this machine.`);
    throw error;
  }
}

/** Returns a logger for Nest that writes structured lines. Nest's start-up messages have the level `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const nest = logger.child({ from: 'nest' });
  return {
    log: (message: unknown) => nest.debug(String(message)),
    verbose: (message: unknown) => nest.trace(String(message)),
    debug: (message: unknown) => nest.debug(String(message)),
    warn: (message: unknown) => nest.warn(String(message)),
    error: (message: unknown, ...rest: unknown[]) => nest.error({ rest }, String(message)),
    fatal: (message: unknown) => nest.fatal(String(message)),
  };
}
