import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { StreamReadAuthorizer, Problems, storeAndLogProblems } from '#gateway-kit';
import { LiveEventStreamParameters } from './event-parameters.js';
import {
  sendStreamHeaders,
  DescribeEventStream,
  eventStreamType,
  requireEventStreamAccepted,
} from './live/event-stream-answer.js';
import { LiveStreamOpener } from './live/live-stream-opener.js';

/** `GET /api/v1/events/stream`: a live stream of events as Server-Sent Events. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventStreamController {
  constructor(
    private readonly live: LiveStreamOpener,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get('stream')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Follow events',
    description:
      'Server-Sent Events. Each event that can be queried is a message `event`. Its `data` is the event ' +
      'as in a query, or in the JSON format of CloudEvents with `format=cloudevents`; its `id` is opaque. ' +
      'With `Last-Event-ID`, the last id that was received, the stream first sends all events after that ' +
      'id, so no event is lost. No event is repeated while ids are shorter than events. A longer id is ' +
      'sent only after as many characters of events, and events since the last id may then be repeated. ' +
      'Without `Last-Event-ID`, the stream starts now, or with `since` at the beginning of what is ' +
      'stored. Events of one partition arrive in the order of their offsets. An event that is stored ' +
      'late, with an early timestamp, arrives when it is stored. A comment is sent every 15 seconds. ' +
      'Before the server ends a stream, a message `error` gives the reason as a problem document: ' +
      '`overloaded` for a client that is too slow, `shutting_down`, `invalid_token` for a key that was ' +
      'revoked or has expired, `stream_not_found` for a stream that was deleted, `query_too_expensive` ' +
      'for a `where` that needs too many steps for the arriving events.',
  })
  @DescribeEventStream('The last id that was received. The other parameters must be the same.')
  @Problems('invalid_cursor', 'invalid_expression', 'stream_not_found', 'not_acceptable', storeAndLogProblems)
  async stream(
    @Query() { filter, format }: LiveEventStreamParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireEventStreamAccepted(request.headers.accept);
    const { access } = await this.streams.of({ access: caller.access, streams: filter.streams, client });
    if (request.method === 'HEAD') return void reply.header('content-type', eventStreamType).send();
    const opened = {
      question: { ...filter, access },
      format,
      lastEventId: request.headers['last-event-id']?.toString(),
      requestId: request.id,
      caller,
    };
    await this.live.open(opened, () => sendStreamHeaders(reply), client);
  }
}
