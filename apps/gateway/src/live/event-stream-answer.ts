import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { ProblemError } from '#api';

export const mediaType = 'text/event-stream';

/** @throws ProblemError 406 `not_acceptable` */
export function requireAccepted(accept: string | undefined): void {
  if (new Negotiator({ headers: { accept } }).mediaType([mediaType]) === mediaType) return;
  throw new ProblemError('not_acceptable', `This can be answered as ${mediaType}.`);
}

/** Documents a stream of messages that goes on after the last id that came. */
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
      description: 'A stream that ends only with an `error`.',
      content: { [mediaType]: { schema: { type: 'string' } } },
    }),
  );
}

/** Sends the head. From here on the answer is written by us, with the headers that others have set. */
export function begin(reply: FastifyReply): ServerResponse {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': mediaType,
    'cache-control': 'no-store',
    // Proxies pass it on as it comes.
    'x-accel-buffering': 'no',
  });
  // What is written after the client has gone is nobody's fault.
  return reply.raw.on('error', () => undefined);
}
