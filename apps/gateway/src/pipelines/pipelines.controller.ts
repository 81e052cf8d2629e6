import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, Query, RequireScope } from '#http';
import { WebhookNetworks } from '#webhooks';
import { pageByName } from '../lists/page-by-name.js';
import { Answers } from '../openapi/answers.js';
import { PipelineAnswer, pipelineAnswer, pipelineFiguresAnswer, PipelineList } from './pipeline-answers.js';
import { PipelineChanges } from './pipeline-changes.js';
import { PipelineStats } from './pipeline-stats.js';
import { VisiblePipelines } from './visible-pipelines.js';
import { wantedPipeline } from './wanted-pipeline.js';
import { PipelineInput } from './pipeline-input.js';
import { Problems, body, readsBoth, defines } from '../openapi/problems.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { ofDefinition, ofEffect } from './pipeline-problems.js';

@ApiTags('pipelines')
@Controller('api/v1/pipelines')
export class PipelinesController {
  constructor(
    private readonly pipelines: VisiblePipelines,
    private readonly changes: PipelineChanges,
    private readonly stats: PipelineStats,
    private readonly webhooks: WebhookNetworks,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Define a pipeline',
    description:
      'The pipeline processes the events of its source streams as they arrive, from the beginning or from ' +
      'now on. It writes its results to other streams, and creates those that do not exist. A key must ' +
      'cover the streams that the pipeline reads and writes. If the same pipeline exists already, the ' +
      'answer is that pipeline (200).',
  })
  @Answers(PipelineAnswer, { status: 201, description: 'The pipeline is running.' })
  @Answers(PipelineAnswer, { description: 'The pipeline exists already.' })
  @Problems(body, ofDefinition, 'pipeline_exists', ofEffect, defines)
  async define(
    @Body() input: PipelineInput,
    @Caller() caller: Principal,
    @Aborted() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineAnswer> {
    const { spec } = wantedPipeline(input, this.webhooks);
    const { definition, created } = await this.changes.define({ name: input.name, spec, client }, caller);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/pipelines/${definition.name}`);
    return pipelineAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List pipelines',
    description: 'Sorted by name. A key sees a pipeline only if it covers all of its streams.',
  })
  @Answers(PipelineList, { description: 'A page of pipelines; `total` counts all.' })
  @Problems('invalid_cursor', readsBoth)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<PipelineList> {
    const all = this.pipelines.all(access);
    const { items, end } = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['pipelines'] });
    const stats = await this.stats.of(items, client);
    return { pipelines: items.map((definition) => pipelineFiguresAnswer(definition, stats)), ...end };
  }
}
