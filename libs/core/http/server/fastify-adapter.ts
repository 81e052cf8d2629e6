import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { requestIdOf } from './request-identity.js';
import { AllowedMethodTable } from './allowed-method-table.js';
import { acceptsOf } from '../route-config.js';
import type { ProblemSender } from '../problems/send-problem.js';
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

/** Options of a `ProblemFastifyAdapter`. */
interface ProblemAdapterOptions {
  timeouts: HttpServerTimeouts;
  trustProxy: readonly string[];
  elsewhere?: SuggestOtherPort | undefined;
}

/**
 * Returns a sentence that says which other port a request with this path is probably meant for; undefined if that is
 * not known.
 */
export type SuggestOtherPort = (path: string) => string | undefined;

/** A Nest adapter for Fastify that answers Fastify's own errors and unknown addresses with problems. */
export class ProblemFastifyAdapter extends FastifyAdapter {
  constructor(
    private readonly sender: ProblemSender,
    { timeouts, trustProxy, elsewhere = () => undefined }: ProblemAdapterOptions,
  ) {
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
    const routes = new AllowedMethodTable(this.instance);
    const missing = (request: FastifyRequest) => unmatched(request, routes, elsewhere);
    this.instance.setErrorHandler((error: FastifyError, request, reply) =>
      sender.send(refusal(error, request, missing), request, reply),
    );
    this.instance.setNotFoundHandler((request, reply) => sender.send(missing(request), request, reply));
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

function unmatched(
  request: FastifyRequest,
  routes: AllowedMethodTable,
  elsewhere: SuggestOtherPort,
): ProblemError {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = routes.methods(path);
  const hint = elsewhere(path);
  if (methods.length === 0 || methods.includes(request.method))
    return new ProblemError(
      'not_found',
      `There is nothing at this address${emptyPart(path)}. ${hint ?? whereToLook}`,
    );
  const allow = methods.join(', ');
  const detail = [`This address has: ${allow}.`, hint].filter(Boolean).join(' ');
  return new ProblemError('method_not_allowed', detail, { headers: { allow } });
}

/**
 * Fastify's errors for paths outside the folder of static files and for unsupported methods: they are answered as
 * unmatched.
 */
const unmatchedCodes = ['FST_STATIC_FORBIDDEN_PATH', 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'];

/** Returns the problem for an error. The media type of a body does not matter at an address without a route. */
function refusal(
  error: FastifyError,
  request: FastifyRequest,
  missing: (request: FastifyRequest) => ProblemError,
): unknown {
  const isUnmatched = unmatchedCodes.includes(error.code) || (request.is404 && isMediaTypeError(error));
  return isUnmatched ? missing(request) : withAcceptPost(error, request);
}

function isMediaTypeError(error: unknown): boolean {
  const code = (error as { code?: string }).code;
  return code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'unsupported_media_type';
}

/** Hint in the answer for an unknown address: each port has its own routes, so the caller may use the wrong port. */
const whereToLook = 'The core port of the gateway (3900 by default) lists the addresses of the API at /docs.';

/** Returns a hint if the path has an empty segment. A common cause is an unset shell variable. */
function emptyPart(path: string): string {
  return path !== '/' && /\/(\/|$)/.test(path) ? ': a segment of its path is empty' : '';
}

/** Adds `Accept-Post` to a 415 answer, with the accepted media types (RFC 9110). */
function withAcceptPost(error: unknown, request: FastifyRequest): unknown {
  if (!isMediaTypeError(error)) return error;
  const accepts = acceptsOf(request);
  const given = error instanceof ProblemError ? error : undefined;
  return new ProblemError(
    'unsupported_media_type',
    given?.message ?? `Send the body as ${accepts.join(' or ')}, in UTF-8.`,
    { headers: { 'accept-post': accepts.join(', '), ...given?.options.headers } },
  );
}
