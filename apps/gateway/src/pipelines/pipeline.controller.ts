import { Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
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
import { ApiAnswer, NoContent } from '../openapi/answers.js';
import { PipelineName, requireSameName } from '../definitions/definition-name.js';
import {
  PipelineAnswer,
  pipelineAnswer,
  PipelineDetailAnswer,
  pipelineDetailAnswer,
} from './pipeline-answers.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { VisiblePipelines } from './visible-pipelines.js';
import { validatedPipeline } from './validated-pipeline.js';
import { PipelineReplacementInput } from './pipeline-input.js';
import { PipelineReplacementParameters } from './pipeline-parameters.js';
import { Problems, bodyProblems, storeAndLogProblems, changeProblems } from '../openapi/problems.js';
import { definitionProblems, effectProblems } from './pipeline-problems.js';

/** Routes of one pipeline: reads, replaces and deletes its definition. */
@ApiTags('pipelines')
@Controller('api/v1/pipelines/:name')
export class PipelineController {
  constructor(
    private readonly pipelines: VisiblePipelines,
    private readonly changes: PipelineDefinitionEditor,
    private readonly stats: PipelineStatsReader,
    private readonly webhooks: WebhookAddressPolicy,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({ summary: 'Get one pipeline' })
  @ApiAnswer(PipelineDetailAnswer, {
    description: 'The definition of the pipeline, and its statistics with those of each operator.',
  })
  @Problems('pipeline_not_found', storeAndLogProblems)
  async one(
    @PipelineName() name: string,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<PipelineDetailAnswer> {
    const definition = this.pipelines.get(name, access);
    return pipelineDetailAnswer(definition, await this.stats.of([definition], client));
  }

  @Put()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Change the definition of a pipeline',
    description:
      'A different definition is a new version. The job continues where it stopped: no event is processed ' +
      'twice. A window or dedupe that is unchanged at its position keeps its state; otherwise its state ' +
      'and its open windows are discarded. With `from=beginning`, everything is processed and emitted ' +
      'again, as different events. The same definition changes nothing.',
  })
  @ApiAnswer(PipelineAnswer, { description: 'The current definition of the pipeline.' })
  @Problems(
    bodyProblems,
    'pipeline_not_found',
    definitionProblems,
    effectProblems,
    'definition_limit_reached',
    'definition_conflict',
    storeAndLogProblems,
  )
  async replace(
    @PipelineName() name: string,
    @Query() { from }: PipelineReplacementParameters,
    @Body() input: PipelineReplacementInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<PipelineAnswer> {
    requireSameName('pipeline', input, name);
    this.pipelines.get(name, caller.access);
    const { spec } = validatedPipeline(input, this.webhooks);
    return pipelineAnswer(await this.changes.replace({ name, spec, client, from }, caller));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a pipeline with its open windows and its internal topics',
    description: 'The events that it has emitted and its dead letters remain.',
  })
  @NoContent('The pipeline is deleted.')
  @Problems('pipeline_not_found', changeProblems)
  async remove(@PipelineName() name: string, @InjectPrincipal() caller: Principal): Promise<void> {
    await this.changes.remove(name, caller);
  }
}
