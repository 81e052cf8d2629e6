import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  DisconnectSignal,
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  Principal,
  Query,
  RequireScope,
} from '#http';
import { WebhookAddressPolicy } from '#webhooks';
import { pageByName } from '../lists/page-by-name.js';
import { ApiAnswer } from '../openapi/answers.js';
import { PipelineAnswer, pipelineAnswer, pipelineStatsAnswer, PipelineList } from './pipeline-answers.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { VisiblePipelines } from './visible-pipelines.js';
import { validatedPipeline } from './validated-pipeline.js';
import { PipelineInput } from './pipeline-input.js';
import { Problems, bodyProblems, storeAndLogProblems, createProblems } from '../openapi/problems.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { definitionProblems, effectProblems } from './pipeline-problems.js';

/** `GET` and `POST /api/v1/pipelines`: lists and creates pipelines. */
@ApiTags('pipelines')
@Controller('api/v1/pipelines')
export class PipelinesController {
  constructor(
    private readonly pipelines: VisiblePipelines,
    private readonly changes: PipelineDefinitionEditor,
    private readonly stats: PipelineStatsReader,
    private readonly webhooks: WebhookAddressPolicy,
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
  @ApiAnswer(PipelineAnswer, { status: 201, description: 'The pipeline is running.' })
  @ApiAnswer(PipelineAnswer, { description: 'The pipeline exists already.' })
  @Problems(bodyProblems, definitionProblems, 'pipeline_exists', effectProblems, createProblems)
  async define(
    @Body() input: PipelineInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineAnswer> {
    const { spec } = validatedPipeline(input, this.webhooks);
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
  @ApiAnswer(PipelineList, { description: 'A page of pipelines; `total` counts all.' })
  @Problems('invalid_cursor', storeAndLogProblems)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<PipelineList> {
    const all = this.pipelines.all(access);
    const { items, end } = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['pipelines'] });
    const stats = await this.stats.of(items, client);
    return { pipelines: items.map((definition) => pipelineStatsAnswer(definition, stats)), ...end };
  }
}
