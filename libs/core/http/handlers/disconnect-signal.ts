import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '#api';
import { whenClosed } from '../when-closed.js';

/**
 * Parameter decorator of a handler: injects an AbortSignal that is aborted when the client disconnects before the whole
 * answer was sent.
 */
export const DisconnectSignal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  disconnectSignal(context.switchToHttp().getResponse<FastifyReply>().raw),
);

/**
 * Returns a signal that is aborted when the client disconnects. The abort reason is a `request_timeout` problem, so an
 * error with this reason is logged as a client error and not as a failure of the server.
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new ProblemError('request_timeout', 'The client disconnected.'));
  whenClosed(response, () => {
    if (!response.writableFinished) abort();
  });
  if (response.destroyed) abort();
  return controller.signal;
}
