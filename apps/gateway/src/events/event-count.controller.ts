import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatTime } from '#event';
import { DescribeQuery, parseQuery, RequireScope } from '#http';
import type { CountBucket, EventReader } from '#store';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers, Problems } from '../openapi/answers.js';
import { parseInterval } from '../parameters/interval.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { READER } from '../tokens.js';
import { checkBuckets, checkStretches, mostBuckets } from './bucket-bound.js';
import { EventCount, type EventCountBucket } from './event-answers.js';
import { eventFilter, positions } from './event-filter.js';
import { EventCountParameters } from './event-parameters.js';

@ApiTags('events')
@Controller('api/v1/events')
export class EventCountController {
  constructor(
    @Inject(READER) private readonly reader: EventReader,
    private readonly gate: ReadGate,
    private readonly streams: ReadableStreams,
  ) {}

  @Get('count')
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Count events',
    description:
      'How many events there are: all of them, or by field (`group_by`) and stretch of time (`interval`). Stretches ' +
      `without events are left out. More than ${mostBuckets} buckets are refused.`,
  })
  @DescribeQuery(EventCountParameters)
  @Answers(EventCount, { description: 'The counts.' })
  @Problems(
    'invalid_expression',
    'stream_not_found',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async count(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventCount> {
    const parameters = parseQuery(EventCountParameters, request.query);
    const filter = eventFilter(parameters);
    const intervalSeconds =
      parameters.interval === undefined ? undefined : parseInterval(parameters.interval);
    checkStretches(filter, intervalSeconds);
    const client = clientGone(reply.raw);
    const permitted = await this.streams.of({
      request,
      streams: filter.streams,
      positions: positions(parameters),
      client,
    });
    const query = {
      ...permitted,
      ...filter,
      groupBy: parameters.group_by,
      intervalSeconds,
      limit: mostBuckets + 1,
    };
    const { buckets, total } = await this.gate.run(client, (signal) => this.reader.count(query, signal));
    checkBuckets(buckets);
    return { buckets: buckets.map(bucketAnswer), total };
  }
}

function bucketAnswer({ start, group, count }: CountBucket): EventCountBucket {
  return {
    ...(start !== undefined && { start: formatTime(start) }),
    ...(group !== undefined && { group }),
    count,
  };
}
