import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { STORE } from '#app';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { EventReader } from '#store';
import {
  StreamReadAuthorizer,
  pageMediaType,
  pageMediaTypes,
  ApiAnswer,
  Bulkhead,
  Problems,
  consistentReadProblems,
} from '#gateway-kit';
import { EventPage } from './event-answers.js';
import { EventQueryParameters } from './event-parameters.js';
import { sendPage } from './send-page.js';

/** `GET /api/v1/events/query`. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventQueryController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get('query')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Query events',
    description:
      'A page of events, ordered by their timestamps. `Accept` selects JSON, NDJSON ' +
      '(`application/x-ndjson`, one event per line), CSV (`text/csv`) or CloudEvents ' +
      '(`application/cloudevents-batch+json`). `next_cursor` is the cursor of the next page; the headers ' +
      '`X-Next-Cursor` and `Link` (`rel="next"`) have it too. In CSV, an apostrophe precedes each ' +
      'character that could start a spreadsheet formula; NDJSON has the exact text. CSV columns: ' +
      'event_id, stream, event_type, entity_id, version, timestamp, ingested_at, schema_version, ' +
      'partition, offset, metadata, data.',
  })
  @ApiAnswer(EventPage, { description: 'A page of events.', text: pageMediaTypes.slice(1) })
  @Problems(
    'invalid_cursor',
    'invalid_expression',
    'stream_not_found',
    'not_acceptable',
    consistentReadProblems,
  )
  async query(
    @Query() { filter, wait_for: positions, order, limit, cursor }: EventQueryParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const type = pageMediaType(request.headers.accept);
    const permitted = await this.streams.of({ access, streams: filter.streams, positions, client });
    const query = { ...permitted, ...filter, order, limit, cursor };
    const page = await this.bulkhead.run(client, (signal) => this.store.reader.query(query, signal));
    sendPage(page, type, { request, reply });
  }
}
