import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Definitions } from '#registry';
import {
  accessOf,
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  DescribeQuery,
  jsonBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { permitsPipeline } from './named-pipeline.js';
import { PipelineAnswer, pipelineAnswer, pipelineFiguresAnswer, PipelineList } from './pipeline-answers.js';
import { PipelineChanges } from './pipeline-changes.js';
import { PipelineFigures } from './pipeline-figures.js';
import { PipelineInput } from './pipeline-input.js';
import { PipelineListParameters } from './pipeline-parameters.js';

@ApiTags('pipelines')
@Controller('api/v1/pipelines')
export class PipelinesController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly changes: PipelineChanges,
    private readonly figures: PipelineFigures,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Define a pipeline',
    description:
      'It processes the events of its streams as they come, from the beginning on or from now, and writes what comes of ' +
      'them to other streams, which are made where they are not there. A key needs to cover what it reads and what it ' +
      'writes. A pipeline that is there already and exactly this is answered as it is (200).',
  })
  @DescribeBody(PipelineInput)
  @Answers(PipelineAnswer, { status: 201, description: 'It runs.' })
  @Answers(PipelineAnswer, { description: 'It is there already.' })
  @Problems(
    'invalid_json',
    'invalid_expression',
    'stream_forbidden',
    'stream_reserved',
    'stream_not_found',
    'projection_not_found',
    'pipeline_exists',
    'pipeline_loop',
    'stream_name_collision',
    'stream_limit_reached',
    'stream_being_deleted',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async define(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineAnswer> {
    parseQuery(NoParameters, request.query);
    const input = parseBody(PipelineInput, request);
    const { operators } = jsonBody(request) as { operators?: unknown };
    const { spec } = this.changes.usable(input, operators);
    const wanted = { name: input.name, spec, client: clientGone(reply.raw) };
    const changer = { actor: actorOf(request), access: accessOf(request) };
    const { definition, created } = await this.changes.define(wanted, changer);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/pipelines/${definition.name}`);
    return pipelineAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List pipelines',
    description: 'Sorted by name. A key sees those of which it covers every stream.',
  })
  @DescribeQuery(PipelineListParameters)
  @Answers(PipelineList, { description: 'A page of pipelines; `total` counts all.' })
  @Problems('invalid_cursor', 'query_too_expensive', 'store_unavailable', 'log_unavailable')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineList> {
    const { limit, cursor } = parseQuery(PipelineListParameters, request.query);
    const { pipelines, projections } = this.definitions;
    const viewer = { access: accessOf(request), projections };
    const all = pipelines.all().filter((definition) => permitsPipeline(definition, viewer));
    const page = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['pipelines'] });
    const figures = await this.figures.of(page.items, clientGone(reply.raw));
    return {
      pipelines: page.items.map((definition) => pipelineFiguresAnswer(definition, figures)),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}
