import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DescribeQuery, parseQuery, RequireScope } from '#http';
import type { EventReader } from '#store';
import { ReadableStreams } from '../access/readable-streams.js';
import { pageMediaType, pageMediaTypes } from '../answers/media-type.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { READER } from '../tokens.js';
import { EventPage } from './event-answers.js';
import { eventFilter, positions } from './event-filter.js';
import { EventQueryParameters } from './event-parameters.js';
import { sendPage } from './send-page.js';

@ApiTags('events')
@Controller('api/v1/events')
export class EventQueryController {
  constructor(
    @Inject(READER) private readonly reader: EventReader,
    private readonly gate: ReadGate,
    private readonly streams: ReadableStreams,
  ) {}

  @Get('query')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Query events',
    description:
      'A page of events in the order of their timestamps. `Accept` chooses JSON, NDJSON (`application/x-ndjson`, one ' +
      'event a line) or CSV (`text/csv`). The next page is at `next_cursor`, which is also in the headers ' +
      '`X-Next-Cursor` and `Link` (`rel="next"`). In CSV, an apostrophe stands before each character that a ' +
      'spreadsheet could begin a formula with; NDJSON has the exact text. CSV columns: event_id, stream, event_type, entity_id, version, ' +
      'timestamp, ingested_at, schema_version, partition, offset, metadata, data.',
  })
  @DescribeQuery(EventQueryParameters)
  @Answers(EventPage, { description: 'A page of events.', text: pageMediaTypes.slice(1) })
  @Problems(
    'invalid_cursor',
    'invalid_expression',
    'stream_not_found',
    'not_acceptable',
    'overloaded',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async query(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const parameters = parseQuery(EventQueryParameters, request.query);
    const type = pageMediaType(request.headers.accept);
    const { order, limit, cursor } = parameters;
    const filter = eventFilter(parameters);
    const client = clientGone(reply.raw);
    const permitted = await this.streams.of({
      request,
      streams: filter.streams,
      positions: positions(parameters),
      client,
    });
    const query = { ...permitted, ...filter, order, limit, cursor };
    const page = await this.gate.run(client, (signal) => this.reader.query(query, signal));
    sendPage(page, type, { request, reply });
  }
}
