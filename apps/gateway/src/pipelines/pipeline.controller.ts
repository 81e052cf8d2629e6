import { Controller, Delete, Get, HttpCode, Inject, Param, Put, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StreamAccess } from '#api';
import type { Definitions, PipelineDefinition } from '#registry';
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
import { Answers, NoContent, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { changerOf, nameParam, requireName, requireSameName } from '../definitions/definition-name.js';
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
  @ApiParam(nameParam)
  @Answers(PipelineFiguresAnswer, { description: 'How it is defined, and how it is doing.' })
  @Problems('pipeline_not_found', 'query_too_expensive', 'store_unavailable', 'log_unavailable')
  async one(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineFiguresAnswer> {
    parseQuery(NoParameters, request.query);
    requireName('pipeline', name);
    const definition = this.named(name, accessOf(request));
    return pipelineFiguresAnswer(definition, await this.figures.of([definition], clientGone(reply.raw)));
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
  @ApiParam(nameParam)
  @DescribeQuery(PipelineReplacementParameters)
  @DescribeBody(PipelineReplacementInput)
  @Answers(PipelineAnswer, { description: 'The pipeline as it is now.' })
  @Problems(
    'invalid_json',
    'invalid_expression',
    'pipeline_not_found',
    'stream_forbidden',
    'stream_reserved',
    'stream_not_found',
    'projection_not_found',
    'pipeline_loop',
    'stream_name_collision',
    'stream_limit_reached',
    'stream_being_deleted',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
  )
  async replace(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PipelineAnswer> {
    const { from } = parseQuery(PipelineReplacementParameters, request.query);
    requireName('pipeline', name);
    const input = parseBody(PipelineReplacementInput, request);
    requireSameName('pipeline', input, name);
    const access = accessOf(request);
    this.named(name, access);
    const { operators } = jsonBody(request) as { operators?: unknown };
    const { spec } = this.changes.usable(input, operators);
    const wanted = { name, spec, client: clientGone(reply.raw), from };
    return pipelineAnswer(await this.changes.replace(wanted, { actor: actorOf(request), access }));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a pipeline with its open windows and its internal topics',
    description: 'What it has emitted stays, and so do its dead letters.',
  })
  @ApiParam(nameParam)
  @NoContent('It is gone.')
  @Problems('pipeline_not_found', 'definition_conflict', 'log_unavailable')
  async remove(@Param('name') name: string, @Req() request: FastifyRequest): Promise<void> {
    await this.changes.remove(name, changerOf('pipeline', name, request));
  }

  private named(name: string, access: StreamAccess): PipelineDefinition {
    const { pipelines, projections } = this.definitions;
    return permittedPipeline(pipelines.get(name), { access, projections });
  }
}
