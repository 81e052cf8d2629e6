import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { ProblemError } from '#api';

export const eventStreamType = 'text/event-stream';

/** Requires that the client accepts Server-Sent Events. @throws ProblemError 406 `not_acceptable` */
export function requireEventStreamAccepted(accept: string | undefined): void {
  if (new Negotiator({ headers: { accept } }).mediaType([eventStreamType]) === eventStreamType) return;
  throw new ProblemError('not_acceptable', `The answer is available as ${eventStreamType}.`);
}

/**
 * Documents a route in the OpenAPI document as a stream of Server-Sent Events that resumes after the header
 * `Last-Event-ID`.
 */
export function DescribeEventStream(lastEventId: string): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Last-Event-ID',
      description: lastEventId,
      required: false,
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 200,
      description: 'A stream of messages. The server ends it only after a message `error`.',
      content: { [eventStreamType]: { schema: { type: 'string' } } },
    }),
  );
}

/**
 * Sends the status line and headers, including headers that other code has set. After this call, Fastify no longer
 * handles the answer.
 */
export function sendStreamHeaders(reply: FastifyReply): ServerResponse {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': eventStreamType,
    'cache-control': 'no-store',
    // Proxies must pass on each message without buffering.
    'x-accel-buffering': 'no',
  });
  // A write that fails because the client has disconnected is no error.
  return reply.raw.on('error', () => undefined);
}
