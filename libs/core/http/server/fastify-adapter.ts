import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import type { ProblemSender } from '../problems/send-problem.js';
import { defaultAccepts, rulesOf } from '../route-config.js';
import { requestIdOf } from './request-identity.js';
import { answerClientError, registerUnroutedRequests } from './socket-errors.js';

/** Time-outs of the HTTP server for its clients, in milliseconds. */
export interface HttpServerTimeouts {
  /** Time-out for receiving all headers of a request. */
  headers: number;
  /** Time-out for receiving the whole request with its body. */
  request: number;
  /** Time-out for an idle connection between two requests. Load balancers should use a shorter one. */
  keepAlive: number;
}

export const defaultTimeouts: HttpServerTimeouts = { headers: 10_000, request: 60_000, keepAlive: 75_000 };

/** Returns a sentence that says which other port a request with this path is probably meant for, if that is known. */
export type SuggestOtherPort = (path: string) => string | undefined;

/** Options of a `ProblemFastifyAdapter`. */
interface ProblemAdapterOptions {
  timeouts: HttpServerTimeouts;
  trustProxy: readonly string[];
  elsewhere?: SuggestOtherPort | undefined;
}

/** A Nest adapter for Fastify that answers Fastify's own errors and unknown addresses with problems. */
export class ProblemFastifyAdapter extends FastifyAdapter {
  constructor(sender: ProblemSender, { timeouts, trustProxy, elsewhere }: ProblemAdapterOptions) {
    super({
      // There is no middleware, so middie would only cost time on each request.
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
        // Node would answer without a body: `registerUnroutedRequests` answers such requests.
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
    registerUnroutedRequests(this.instance);
    const unmatched = unmatchedProblem(this.instance, elsewhere);
    this.instance.setErrorHandler((error: FastifyError, request, reply) => {
      const problem = isUnmatched(error, request) ? unmatched(request) : withAcceptPost(error, request);
      sender.send(problem, request, reply);
    });
    this.instance.setNotFoundHandler((request, reply) => sender.send(unmatched(request), request, reply));
  }

  /** Keeps Nest from replacing Fastify's error handler, which the constructor has set. */
  override setErrorHandler(): never {
    return undefined as never;
  }

  /** Keeps Nest from replacing Fastify's handler for unknown addresses, which the constructor has set. */
  override setNotFoundHandler(): never {
    return undefined as never;
  }
}

/** Hint in the answer for an unknown address: each port has its own routes, so the caller may use the wrong port. */
const whereToLook = 'The core port of the gateway (3900 by default) lists the addresses of the API at /docs.';

/**
 * Returns a function that returns the problem of a request without a route: 405 if its path has other methods, else 404.
 * Knows the routes that are added to the instance from now on: Fastify does not distinguish the two cases.
 */
function unmatchedProblem(
  instance: FastifyInstance,
  elsewhere: SuggestOtherPort = () => undefined,
): (request: FastifyRequest) => ProblemError {
  const routes: { method: string; segments: string[] }[] = [];
  instance.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, segments: url.split('/') });
  });
  return (request) => {
    const [path = ''] = request.url.split('?', 1);
    const segments = path.split('/');
    const matching = routes.filter((route) => matches(route.segments, segments));
    const methods = [...new Set(matching.map(({ method }) => method))].sort();
    const hint = elsewhere(path);
    if (methods.length === 0 || methods.includes(request.method)) {
      // A common cause of an empty segment is an unset shell variable.
      const empty = path !== '/' && /\/(\/|$)/.test(path) ? ': a segment of its path is empty' : '';
      return new ProblemError(
        'not_found',
        `There is nothing at this address${empty}. ${hint ?? whereToLook}`,
      );
    }
    const allow = methods.join(', ');
    const detail = [`This address has: ${allow}.`, hint].filter(Boolean).join(' ');
    return new ProblemError('method_not_allowed', detail, { headers: { allow } });
  };
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const wildcard = pattern.at(-1) === '*';
  if (wildcard ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every(
    (part, i) => part === path[i] || part === '*' || (part.startsWith(':') && path[i] !== ''),
  );
}

/** Fastify's errors for paths outside the folder of static files and for unsupported methods. */
const unmatchedCodes = ['FST_STATIC_FORBIDDEN_PATH', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'];

/** Returns whether an error means that no route matches. The media type of a body does not matter without a route. */
function isUnmatched(error: FastifyError, request: FastifyRequest): boolean {
  return unmatchedCodes.includes(error.code) || (request.is404 && isMediaTypeError(error));
}

function isMediaTypeError({ code }: { code?: string }): boolean {
  return code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'unsupported_media_type';
}

/** Adds `Accept-Post` to a 415 answer, with the accepted media types (RFC 9110). */
function withAcceptPost(error: FastifyError | ProblemError, request: FastifyRequest): Error {
  if (!isMediaTypeError(error)) return error;
  const { accepts = defaultAccepts } = rulesOf(request.routeOptions);
  const given = error instanceof ProblemError ? error : undefined;
  const detail = given?.message ?? `Send the body as ${accepts.join(' or ')}, in UTF-8.`;
  return new ProblemError('unsupported_media_type', detail, {
    headers: { 'accept-post': accepts.join(', '), ...given?.options.headers },
  });
}
