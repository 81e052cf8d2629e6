import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemError } from '#api';
import type { Logger } from '#telemetry';
import { problemOf } from './problem-of.js';
import { rulesOf, type EncodedProblem } from '../route-config.js';
import { noSniffing } from '../security-headers.js';
import { httpProblems } from '../metrics.js';

/** Returns the headers of the answer to a failed request, without `Content-Type` and `Content-Length`. */
export function problemHeaders(problem: ProblemError): Record<string, string> {
  return {
    ...noSniffing,
    ...(problem.retryable && { 'retry-after': String(problem.options.retryAfterSeconds ?? 1) }),
    ...problem.options.headers,
  };
}

function problemDocument(request: FastifyRequest, problem: ProblemError): EncodedProblem {
  const body = JSON.stringify({ ...problem.toDocument(), request_id: request.id });
  return { type: 'application/problem+json', body };
}

/**
 * Answers failed requests with problem documents (RFC 9457), or in the error format of their route. The error handler
 * logs server errors as warnings or errors, and client errors at debug level.
 */
export class ProblemSender {
  constructor(private readonly logger: Logger) {}

  send(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const problem = problemOf(error);
    this.log(problem, request);
    httpProblems.inc({ code: problem.code });
    if (reply.sent || reply.raw.headersSent) {
      // The answer has begun: only a broken connection can show that it is incomplete.
      reply.raw.destroy();
      return;
    }
    const { type, body } = (rulesOf(request.routeOptions).problemForm ?? problemDocument)(request, problem);
    void reply
      .code(problem.status)
      .headers({ 'x-request-id': request.id, ...problemHeaders(problem) })
      .header('content-type', type)
      .send(body);
  }

  private log(problem: ProblemError, request: FastifyRequest): void {
    const line = {
      request_id: request.id,
      method: request.method,
      // Do not log the path: it may contain the id of a person, such as one whose data is being erased.
      route: request.routeOptions.url ?? 'unmatched',
      status: problem.status,
      code: problem.code,
    };
    if (problem.status < 500) this.logger.debug(line, 'request rejected');
    else if (problem.code !== 'internal_error')
      this.logger.warn({ ...line, err: problem.options.cause }, problem.message);
    else this.logger.error({ ...line, err: problem.options.cause ?? problem }, 'request failed');
  }
}

/** Nest exception filter that passes errors thrown by controllers to the `ProblemSender`. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly sender: ProblemSender) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.sender.send(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
