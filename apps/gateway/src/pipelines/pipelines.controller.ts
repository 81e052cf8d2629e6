import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Definitions } from '#registry';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, Query, RequireScope } from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers } from '../openapi/answers.js';
import { DEFINITIONS } from '../tokens.js';
import { permitsPipeline } from './named-pipeline.js';
import { PipelineAnswer, pipelineAnswer, pipelineFiguresAnswer, PipelineList } from './pipeline-answers.js';
import { PipelineChanges } from './pipeline-changes.js';
import { PipelineFigures } from './pipeline-figures.js';
import { PipelineInput } from './pipeline-input.js';
import { Problems, body, readsBoth, defines } from '../openapi/problems.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { ofDefinition, ofEffect } from './pipeline-problems.js';

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
  @Answers(PipelineAnswer, { status: 201, description: 'It runs.' })
  @Answers(PipelineAnswer, { description: 'It is there already.' })
  @Problems(body, ofDefinition, 'pipeline_exists', ofEffect, defines)
  async define(
    @Body() input: PipelineInput,
    @Caller() caller: Principal,
    @Aborted() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineAnswer> {
    const { spec } = this.changes.usable(input);
    const { definition, created } = await this.changes.define({ name: input.name, spec, client }, caller);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/pipelines/${definition.name}`);
    return pipelineAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List pipelines',
    description: 'Sorted by name. A key sees those of which it covers every stream.',
  })
  @Answers(PipelineList, { description: 'A page of pipelines; `total` counts all.' })
  @Problems('invalid_cursor', readsBoth)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<PipelineList> {
    const { pipelines, projections } = this.definitions;
    const viewer = { access, projections };
    const all = pipelines.all().filter((definition) => permitsPipeline(definition, viewer));
    const page = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['pipelines'] });
    const figures = await this.figures.of(page.items, client);
    return {
      pipelines: page.items.map((definition) => pipelineFiguresAnswer(definition, figures)),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}
