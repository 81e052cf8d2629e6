import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, Caller, Principal, RequireScope } from '#http';
import { PipelineName } from '../definitions/definition-name.js';
import { Answers } from '../openapi/answers.js';
import { PipelineAnswer, pipelineAnswer } from './pipeline-answers.js';
import { Problems, changes } from '../openapi/problems.js';
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
  @Answers(PipelineAnswer, { description: 'It is paused.' })
  @Problems('pipeline_not_found', changes)
  async pause(@PipelineName() name: string, @Caller() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.pause(name, caller));
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
  @Answers(PipelineAnswer, { description: 'It runs.' })
  @Problems('pipeline_not_found', changes)
  async resume(@PipelineName() name: string, @Caller() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.resume(name, caller));
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
  @Answers(PipelineAnswer, { description: 'A new run has begun.' })
  @Problems('pipeline_not_found', 'stream_not_found', changes)
  async reset(@PipelineName() name: string, @Caller() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.reset(name, caller));
  }
}
