import type { InjectionToken } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { registerAnswerLimits } from '../answers/answer-hooks.js';
import { HttpAnswerMemoryBudget } from '../answers/http-answer-memory-budget.js';
import type { SlowClientLimits } from '../answers/slow-client-watch.js';
import { BodyMemoryBudget } from '../body/collect-body.js';
import { registerBodyParsers } from '../body/read-body.js';
import type { OpenApiOptions } from '../openapi/openapi.js';
import { namePort, rulesOf } from '../route-config.js';
import type { ProblemSender } from '../problems/send-problem.js';
import { noSniffing } from '../security-headers.js';
import {
  defaultTimeouts,
  ProblemFastifyAdapter,
  type HttpServerTimeouts,
  type SuggestOtherPort,
} from './fastify-adapter.js';
import { registerHttpMetrics } from './http-metrics.js';
import { registerHttpTracing } from './http-tracing.js';
import { boundPipelining } from './pipelining.js';
import { PortDrain } from './port-drain.js';
import type { ProcessContext } from './process-context.js';
import { guardSite } from './site-guard.js';
import { registerSystemRoutes } from './system-routes.js';

/** Address on which an HTTP port listens. */
export interface ListenOptions {
  host: string;
  port: number;
  /** The setting with the port, for the error message when the port is in use. */
  variable: string;
}

/** The services of the Nest application, for the hooks of its ports. Nest has created them when a port is ready. */
export interface PortServices {
  get<T>(token: InjectionToken<T>): T;
}

/** Hooks and limits of one HTTP port. */
export interface HttpPortOptions {
  /** Address of the port. Without one, the port does not listen: specs inject requests. */
  listen?: ListenOptions;
  /** Name of this port in the audit; default: the app's name. */
  port?: string;
  /** Adds Fastify hooks and routes before Nest adds its own. When called, they get services of Nest from `services`. */
  configure?(instance: FastifyInstance, services: PortServices): void;
  /** Accepts requests to any host and from any site. Set it only if every route requires a key. */
  anySite?: boolean;
  /** Says in the answer for an unknown address which other port has it. */
  elsewhere?: SuggestOtherPort;
  /** Title and version of the OpenAPI document; without them, `/openapi.json` and `/docs` are not served. */
  openapi?: OpenApiOptions;
  timeouts?: Partial<HttpServerTimeouts>;
  /** Limit of the bytes of request bodies that this port holds in memory at the same time; default 64 MiB. */
  bodyBytes?: number;
  /** Budget of the bytes of answers in memory, which ports may share. Default: 64 MiB for this port alone. */
  answers?: HttpAnswerMemoryBudget;
  /** Limits below which a client receives its answers so slowly that it is disconnected. */
  sending?: Partial<SlowClientLimits>;
  /** Milliseconds between failing `/health/ready` and rejecting connections at a shutdown; default 500. */
  graceMs?: number;
}

/** One HTTP port of a process that need not listen: its name, its Fastify instance and its drain. */
export interface HttpPort {
  name: string;
  instance: FastifyInstance;
  drain: PortDrain;
}

/** Default limit of the bytes of request bodies, and of answers, that a port holds in memory. */
const defaultBytes = 64 * 1024 * 1024;

/**
 * Creates the Fastify instance of a port with everything that does not come from Nest: request ids, metrics, the check
 * of hosts, authentication, body parsers, limits, health routes.
 */
export function createHttpPort(
  context: ProcessContext,
  { sender, services }: { sender: ProblemSender; services: PortServices },
  options: HttpPortOptions,
): HttpPort & { adapter: ProblemFastifyAdapter } {
  const adapter = new ProblemFastifyAdapter(sender, {
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    trustProxy: context.config.TRUST_PROXY,
    elsewhere: options.elsewhere,
  });
  const instance: FastifyInstance = adapter.getInstance<FastifyInstance>();
  const { port: name = context.name, anySite = false } = options;
  namePort(instance, name);
  boundPipelining(instance);
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'x-request-id': request.id, ...noSniffing });
    done();
  });
  registerHttpMetrics(instance);
  if (context.tracing) registerHttpTracing(instance, context.tracing);
  const drain = new PortDrain(instance, context);
  const { ALLOWED_HOSTS: allowedHosts, HOST: ownHost } = context.config;
  if (!anySite) guardSite(instance, [...allowedHosts, ownHost]);
  options.configure?.(instance, services);
  registerBodyParsers(instance, {
    budget: new BodyMemoryBudget(options.bodyBytes ?? defaultBytes),
    hasKeys: anySite,
  });
  registerAnswerLimits(instance, {
    budget: options.answers ?? new HttpAnswerMemoryBudget(defaultBytes),
    sending: options.sending,
  });
  registerSystemRoutes(instance, context.health);
  return { adapter, name, instance, drain };
}

/**
 * Serves on `port` the routes that are added to `source` from now on, except those that another port has for itself.
 * The port keeps its own router and hooks: only the handlers are shared.
 */
export function serveRoutesOf(
  source: FastifyInstance,
  { instance, name }: Pick<HttpPort, 'instance' | 'name'>,
): void {
  source.addHook('onRoute', (route) => {
    const { onlyOn = name } = rulesOf(route);
    if (onlyOn !== name) return;
    const { method, url } = route;
    // Fastify adds a HEAD route to each GET route by itself, on each port.
    const isThere = [method].flat().every((each) => instance.hasRoute({ method: each, url }));
    if (!isThere) instance.route({ ...route });
  });
}

/**
 * Makes the start fail if a route of the first port is meant for another port only: the first port serves every route,
 * so the route would be open on a port that must not have it.
 */
export function rejectRoutesOfOtherPorts({ instance, name }: Pick<HttpPort, 'instance' | 'name'>): void {
  const foreign: string[] = [];
  instance.addHook('onRoute', ({ method, url, config }) => {
    const { onlyOn = name } = rulesOf({ config });
    if (onlyOn !== name) foreign.push(`${[method].flat().join(', ')} ${url} (only on ${onlyOn})`);
  });
  instance.addHook('onReady', (done) => {
    if (foreign.length === 0) return done();
    done(new Error(`OnlyOnPort must name the first port, ${name}: ${foreign.join('; ')}.`));
  });
}
