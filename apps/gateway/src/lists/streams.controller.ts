import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allStreams, formatTime } from '#contracts';
import type { Definitions, StreamDefinition } from '#definitions';
import { DescribeQuery, parseQuery, RequireScope } from '#http';
import type { EventReader, StreamSummary } from '#store';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { DEFINITIONS, READER } from '../tokens.js';
import { StreamAnswer, StreamList } from './list-answers.js';
import { listEnd } from './list-end.js';
import { StreamListParameters } from './list-parameters.js';
import { nameCursor, nameOfCursor } from './name-cursor.js';

@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamsController {
  constructor(
    @Inject(READER) private readonly reader: EventReader,
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly gate: ReadGate,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List streams',
    description: 'Sorted by name; streams without events are there, too.',
  })
  @DescribeQuery(StreamListParameters)
  @Answers(StreamList, { description: 'A page of streams; `total` counts all.' })
  @Problems('invalid_cursor', 'query_too_expensive', 'store_unavailable')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamList> {
    const { limit, cursor } = parseQuery(StreamListParameters, request.query);
    const after = cursor === undefined ? '' : nameOfCursor(cursor);
    const all = this.definitions.streams().sort(byName);
    const rest = all.filter(({ stream }) => stream > after);
    const page = rest.slice(0, limit);
    const summaries = await this.summaries(page, clientGone(reply.raw));
    const last = rest.length > limit ? page.at(-1)?.stream : undefined;
    return {
      streams: page.map((definition) => streamAnswer(definition, summaries.get(definition.stream))),
      total: all.length,
      ...listEnd(last === undefined ? undefined : nameCursor(last)),
    };
  }

  private async summaries(
    page: readonly StreamDefinition[],
    client: AbortSignal,
  ): Promise<Map<string, StreamSummary>> {
    if (page.length === 0) return new Map();
    const query = { access: allStreams, streams: page.map(({ stream }) => stream) };
    const found = await this.gate.run(client, (signal) => this.reader.streams(query, signal));
    return new Map(found.map((summary) => [summary.stream, summary]));
  }
}

function byName(a: StreamDefinition, b: StreamDefinition): number {
  return a.stream < b.stream ? -1 : 1;
}

function streamAnswer(definition: StreamDefinition, summary: StreamSummary | undefined): StreamAnswer {
  const { stream, partitions, retention, created_at } = definition;
  const [first, last] = [summary?.first_timestamp ?? null, summary?.last_timestamp ?? null];
  return {
    stream,
    partitions,
    events: summary?.events ?? 0,
    first_timestamp: first === null ? null : formatTime(first),
    last_timestamp: last === null ? null : formatTime(last),
    retention,
    created_at,
  };
}
