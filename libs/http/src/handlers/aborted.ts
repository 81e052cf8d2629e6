import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '#api';
import { whenClosed } from '../when-closed.js';

/** Hands over a signal that is aborted when the client goes away before it has been answered. */
export const Aborted = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientGone(context.switchToHttp().getResponse<FastifyReply>().raw),
);

/** Its reason is a problem: what is thrown with it ends like any refused request, and not as a fault of ours. */
export function clientGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new ProblemError('request_timeout', 'The client went away.'));
  whenClosed(response, () => {
    if (!response.writableFinished) abort();
  });
  if (response.destroyed) abort();
  return controller.signal;
}
