import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { requestIdOf } from './request-identity.js';
import { RouteTable } from './route-table.js';
import { acceptsOf } from '../route-config.js';
import type { ProblemSender } from '../problems/send-problem.js';
import { answerClientError, registerOddRequests } from './socket-errors.js';

/** How long a client may take, in milliseconds. */
export interface Timeouts {
  /** For all headers. */
  headers: number;
  /** For the whole request, its body included. */
  request: number;
  /** Between two requests on one connection. Load balancers should keep theirs shorter. */
  keepAlive: number;
}

export const defaultTimeouts: Timeouts = { headers: 10_000, request: 60_000, keepAlive: 75_000 };

/** Nest on Fastify where everything that Fastify refuses by itself is answered as a problem, too. */
export class ProblemAdapter extends FastifyAdapter {
  constructor(
    private readonly sender: ProblemSender,
    { timeouts, trustProxy }: { timeouts: Timeouts; trustProxy: readonly string[] },
  ) {
    super({
      // Without middleware there is nothing for middie to do on each request.
      skipMiddie: true,
      multipart: false,
      logger: false,
      trustProxy: trustProxy.length > 0 && [...trustProxy],
      genReqId: requestIdOf,
      requestIdHeader: false,
      return503OnClosing: false,
      forceCloseConnections: 'idle',
      requestTimeout: timeouts.request,
      keepAliveTimeout: timeouts.keepAlive,
      http: {
        // Node's own refusal has no body: see registerOddRequests.
        requireHostHeader: false,
        headersTimeout: timeouts.headers,
        requestTimeout: timeouts.request,
        connectionsCheckingInterval: Math.min(1000, timeouts.headers),
      },
      routerOptions: { maxParamLength: 1024, caseSensitive: true, ignoreTrailingSlash: false },
      clientErrorHandler: answerClientError,
      frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
        sender.send(error, request, reply),
    });
    registerOddRequests(this.instance);
    const routes = new RouteTable(this.instance);
    this.instance.setErrorHandler((error: FastifyError, request, reply) =>
      sender.send(refusal(error, request, routes), request, reply),
    );
    this.instance.setNotFoundHandler((request, reply) =>
      sender.send(unmatched(request, routes), request, reply),
    );
  }

  /** Errors are answered by the handler above already. */
  override setErrorHandler(): never {
    return undefined as never;
  }

  /** Unknown addresses are answered by the handler above already. */
  override setNotFoundHandler(): never {
    return undefined as never;
  }
}

function unmatched(request: FastifyRequest, routes: RouteTable): ProblemError {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = routes.methods(path);
  if (methods.length === 0 || methods.includes(request.method))
    return new ProblemError(
      'not_found',
      `There is nothing at this address${emptyPart(path)}. ${whereToLook}`,
    );
  const allow = methods.join(', ');
  return new ProblemError('method_not_allowed', `This address has: ${allow}.`, { headers: { allow } });
}

/** What Fastify refuses although nothing is at the address: a path that leaves the folder of files, and a method. */
const unmatchedCodes = ['FST_STATIC_FORBIDDEN_PATH', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'];

function refusal(error: FastifyError, request: FastifyRequest, routes: RouteTable): unknown {
  return unmatchedCodes.includes(error.code) ? unmatched(request, routes) : withAcceptPost(error, request);
}

/** Each port has addresses of its own: a path that is right on another one is nothing here. */
const whereToLook = 'The core port of the gateway (3900 by default) lists those of the API at /docs.';

/** What a variable of a shell that is not set leaves of an address. */
function emptyPart(path: string): string {
  return /\/(\/|$)/.test(path) ? ': a part of it is empty, or it has a / too many' : '';
}

/** RFC 9110: a 415 says which media types would do. */
function withAcceptPost(error: unknown, request: FastifyRequest): unknown {
  const code = (error as { code?: string }).code;
  if (code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE' && code !== 'unsupported_media_type') return error;
  const accepts = acceptsOf(request);
  const given = error instanceof ProblemError ? error : undefined;
  return new ProblemError(
    'unsupported_media_type',
    given?.message ?? `Send the body as ${accepts.join(' or ')}, in UTF-8.`,
    { headers: { 'accept-post': accepts.join(', '), ...given?.options.headers } },
  );
}
