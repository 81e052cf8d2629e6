import { Controller, Get, Inject, Param, Patch, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import type { Definitions, StreamDefinition } from '#registry';
import {
  accessOf,
  actorOf,
  AlwaysAnswered,
  apiKeyOf,
  authorize,
  DescribeBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { StreamAnswer, streamAnswer } from './stream-answers.js';
import { isShorter } from './shorter-retention.js';
import { requireChangeable, requireStreamName, streamParam } from './named-stream.js';
import { StreamChange } from './stream-parameters.js';
import { StreamSummaries } from './stream-summaries.js';

@ApiTags('streams')
@Controller('api/v1/streams/:stream')
export class StreamController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly streams: ReadableStreams,
    private readonly summaries: StreamSummaries,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one stream' })
  @ApiParam(streamParam)
  @Answers(StreamAnswer, { description: 'How it is defined, and what can be queried of it.' })
  @Problems('stream_not_found', 'query_too_expensive', 'store_unavailable')
  async one(
    @Param('stream') stream: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamAnswer> {
    parseQuery(NoParameters, request.query);
    requireStreamName(stream);
    const client = clientGone(reply.raw);
    await this.streams.of({ request, streams: [stream], client });
    return this.answer(this.definitions.stream(stream), request, client);
  }

  @Patch()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Change the retention of a stream, or how often snapshots are made',
    description:
      'The retention is that of its records in Kafka and of its events in ClickHouse. The one in the body replaces the ' +
      'whole one that there was: a bound that is not in it is taken away. It takes effect within minutes. A shorter one, or ' +
      'a first bound, removes events as a deletion does: where there is a key, it needs the scope `admin`.',
  })
  @ApiParam(streamParam)
  @DescribeBody(StreamChange)
  @Answers(StreamAnswer, { description: 'The stream as it is now.' })
  @Problems(
    'invalid_json',
    'stream_not_found',
    'stream_reserved',
    'stream_being_deleted',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
    'store_unavailable',
  )
  async change(
    @Param('stream') stream: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamAnswer> {
    parseQuery(NoParameters, request.query);
    requireChangeable(stream, request);
    const { retention: wanted, snapshot_every } = parseBody(StreamChange, request);
    const next = (current: StreamDefinition) => {
      const retention = wanted ?? current.retention;
      const key = apiKeyOf(request);
      if (key && isShorter(retention, current.retention)) authorize(key, 'admin');
      return { ...current, retention, ...(snapshot_every != null && { snapshot_every }) };
    };
    const changed = await this.definitions.changeStream(stream, next, actorOf(request));
    return this.answer(changed, request, clientGone(reply.raw));
  }

  private async answer(
    definition: StreamDefinition | undefined,
    request: FastifyRequest,
    client: AbortSignal,
  ): Promise<StreamAnswer> {
    if (!definition)
      throw new ProblemError('stream_not_found', 'There is no such stream any more, or not yet.');
    const { stream } = definition;
    const summaries = await this.summaries.of({ access: accessOf(request), streams: [stream] }, client);
    return streamAnswer(definition, summaries.get(stream));
  }
}
