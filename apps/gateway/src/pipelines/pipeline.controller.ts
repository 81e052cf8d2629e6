import { Controller, Delete, Get, HttpCode, Inject, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { StreamAccess } from '#api';
import type { Definitions, PipelineDefinition } from '#registry';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, Query, RequireScope } from '#http';
import { Answers, NoContent } from '../openapi/answers.js';
import { DEFINITIONS } from '../tokens.js';
import { PipelineName, requireSameName } from '../definitions/definition-name.js';
import { permittedPipeline } from './named-pipeline.js';
import {
  PipelineAnswer,
  pipelineAnswer,
  PipelineFiguresAnswer,
  pipelineFiguresAnswer,
} from './pipeline-answers.js';
import { PipelineChanges } from './pipeline-changes.js';
import { PipelineFigures } from './pipeline-figures.js';
import { PipelineReplacementInput } from './pipeline-input.js';
import { PipelineReplacementParameters } from './pipeline-parameters.js';
import { Problems, body, readsBoth, changes } from '../openapi/problems.js';
import { ofDefinition, ofEffect } from './pipeline-problems.js';

@ApiTags('pipelines')
@Controller('api/v1/pipelines/:name')
export class PipelineController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly changes: PipelineChanges,
    private readonly figures: PipelineFigures,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get one pipeline' })
  @Answers(PipelineFiguresAnswer, { description: 'How it is defined, and how it is doing.' })
  @Problems('pipeline_not_found', readsBoth)
  async one(
    @PipelineName() name: string,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<PipelineFiguresAnswer> {
    const definition = this.named(name, access);
    return pipelineFiguresAnswer(definition, await this.figures.of([definition], client));
  }

  @Put()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Change what a pipeline does',
    description:
      'Another definition is another version. It goes on where the one before has stopped: nothing is processed twice. A ' +
      'window or dedupe that stands in it as before keeps what it knows; one that does not is dropped with its open ' +
      'windows. With `from=beginning` everything is processed again and emitted again, as other events. The same ' +
      'definition changes nothing.',
  })
  @Answers(PipelineAnswer, { description: 'The pipeline as it is now.' })
  @Problems(
    body,
    'pipeline_not_found',
    ofDefinition,
    ofEffect,
    'definition_limit_reached',
    'definition_conflict',
    readsBoth,
  )
  async replace(
    @PipelineName() name: string,
    @Query() { from }: PipelineReplacementParameters,
    @Body() input: PipelineReplacementInput,
    @Caller() caller: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<PipelineAnswer> {
    requireSameName('pipeline', input, name);
    this.named(name, caller.access);
    const { spec } = this.changes.usable(input);
    return pipelineAnswer(await this.changes.replace({ name, spec, client, from }, caller));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a pipeline with its open windows and its internal topics',
    description: 'What it has emitted stays, and so do its dead letters.',
  })
  @NoContent('It is gone.')
  @Problems('pipeline_not_found', changes)
  async remove(@PipelineName() name: string, @Caller() caller: Principal): Promise<void> {
    await this.changes.remove(name, caller);
  }

  private named(name: string, access: StreamAccess): PipelineDefinition {
    const { pipelines, projections } = this.definitions;
    return permittedPipeline(pipelines.get(name), { access, projections });
  }
}
