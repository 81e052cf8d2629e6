import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { eventToJson, uuidPattern } from '#event';
import { ProblemError } from '#api';
import { DescribeQuery, parseQuery, RequireScope } from '#http';
import type { EventReader } from '#store';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { READER } from '../tokens.js';
import { EventAnswer } from './event-answers.js';
import { positions } from './event-filter.js';
import { EventByIdParameters } from './event-parameters.js';

@ApiTags('events')
@Controller('api/v1/events')
export class EventController {
  constructor(
    @Inject(READER) private readonly reader: EventReader,
    private readonly gate: ReadGate,
    private readonly streams: ReadableStreams,
  ) {}

  @Get(':event_id')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one event by its id' })
  @ApiParam({ name: 'event_id', schema: { type: 'string', format: 'uuid' } })
  @DescribeQuery(EventByIdParameters)
  @Answers(EventAnswer, { description: 'The event.' })
  @Problems(
    'event_not_found',
    'stream_not_found',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async event(
    @Param('event_id') eventId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parameters = parseQuery(EventByIdParameters, request.query);
    if (!uuidPattern.test(eventId)) throw notAnId();
    const client = clientGone(reply.raw);
    await this.streams.of({ request, positions: positions(parameters), client });
    const query = { ...this.streams.ofAny(request), eventId: eventId.toLowerCase() };
    const event = await this.gate.run(client, (signal) => this.reader.byId(query, signal));
    if (!event) throw notFound();
    void reply.header('content-type', 'application/json; charset=utf-8').send(eventToJson(event));
  }
}

function notFound(): ProblemError {
  return new ProblemError('event_not_found', 'There is no event with this id, or it cannot be queried yet.');
}

function notAnId(): ProblemError {
  const detail = 'must be a UUID';
  return new ProblemError('invalid_request', `The event id ${detail}.`, {
    errors: [{ pointer: 'event_id', detail }],
  });
}
