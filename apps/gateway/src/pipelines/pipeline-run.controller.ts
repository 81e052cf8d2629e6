import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AlwaysAnswered, RequireScope } from '#http';
import { changerOf, nameParam } from '../definitions/definition-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { PipelineAnswer, pipelineAnswer } from './pipeline-answers.js';
import { PipelineChanges } from './pipeline-changes.js';

/** Whether a pipeline runs, and beginning it anew. None of these has a body. */
@ApiTags('pipelines')
@Controller('api/v1/pipelines/:name')
export class PipelineRunController {
  constructor(private readonly changes: PipelineChanges) {}

  @Post('pause')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Pause a pipeline',
    description:
      'It processes nothing more within moments, and its windows stay as they are. Repeating it changes nothing.',
  })
  @ApiParam(nameParam)
  @Answers(PipelineAnswer, { description: 'It is paused.' })
  @Problems('pipeline_not_found', 'definition_conflict', 'log_unavailable')
  async pause(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.pause(name, changerOf('pipeline', name, request)));
  }

  @Post('resume')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Resume a pipeline',
    description:
      'It goes on where it was, and misses nothing. One that has failed is tried again from there: it fails again within ' +
      'moments where it still cannot go on. Repeating it changes nothing.',
  })
  @ApiParam(nameParam)
  @Answers(PipelineAnswer, { description: 'It runs.' })
  @Problems('pipeline_not_found', 'definition_conflict', 'log_unavailable')
  async resume(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.resume(name, changerOf('pipeline', name, request)));
  }

  @Post('reset')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Begin a pipeline anew',
    description:
      'It forgets its windows, processes what is in its streams again, and emits it again, as other events; what it has ' +
      'emitted before stays. The version stays. Each reset begins anew, also one that is repeated.',
  })
  @ApiParam(nameParam)
  @Answers(PipelineAnswer, { description: 'A new run has begun.' })
  @Problems('pipeline_not_found', 'stream_not_found', 'definition_conflict', 'log_unavailable')
  async reset(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.reset(name, changerOf('pipeline', name, request)));
  }
}
