import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { permitsStream } from '#api';
import type { Definitions } from '#registry';
import { accessOf, DescribeQuery, parseQuery, RequireScope } from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { StreamList, streamAnswer } from './stream-answers.js';
import { StreamListParameters } from './stream-parameters.js';
import { StreamSummaries } from './stream-summaries.js';

@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamsController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly summaries: StreamSummaries,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List streams',
    description:
      'Sorted by name; streams without events are there, too. A key sees the streams that it covers, with the scope ' +
      "`admin` also the system's own (`tributary.…`).",
  })
  @DescribeQuery(StreamListParameters)
  @Answers(StreamList, { description: 'A page of streams; `total` counts all.' })
  @Problems('invalid_cursor', 'query_too_expensive', 'store_unavailable')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamList> {
    const { limit, cursor } = parseQuery(StreamListParameters, request.query);
    const access = accessOf(request);
    const all = this.definitions
      .streams()
      .filter(({ stream, state }) => state === 'live' && permitsStream(access, stream));
    const page = pageByName(all, ({ stream }) => stream, { limit, cursor, boundTo: ['streams'] });
    const names = page.items.map(({ stream }) => stream);
    const summaries = await this.summaries.of({ access, streams: names }, clientGone(reply.raw));
    return {
      streams: page.items.map((definition) => streamAnswer(definition, summaries.get(definition.stream))),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}
