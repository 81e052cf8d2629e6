import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, InjectPrincipal, Principal, RequireScope } from '#http';
import { PipelineName } from '../definitions/definition-name.js';
import { ApiAnswer } from '../openapi/answers.js';
import { PipelineAnswer, pipelineAnswer } from './pipeline-answers.js';
import { Problems, changeProblems } from '../openapi/problems.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';

/** Pauses, resumes and resets a pipeline. The requests to pause, resume and reset a pipeline have no body. */
@ApiTags('pipelines')
@Controller('api/v1/pipelines/:name')
export class PipelineLifecycleController {
  constructor(private readonly changes: PipelineDefinitionEditor) {}

  @Post('pause')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Pause a pipeline',
    description:
      'The pipeline stops processing within moments, and its windows stay open. Repeating the request changes nothing.',
  })
  @ApiAnswer(PipelineAnswer, { description: 'The pipeline is paused.' })
  @Problems('pipeline_not_found', changeProblems)
  async pause(@PipelineName() name: string, @InjectPrincipal() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.pause(name, caller));
  }

  @Post('resume')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Resume a pipeline',
    description:
      'The pipeline continues where it stopped and misses no event. A failed pipeline is tried again at ' +
      'its position: if the cause remains, it fails again within moments. Repeating the request changes ' +
      'nothing.',
  })
  @ApiAnswer(PipelineAnswer, { description: 'The pipeline is running.' })
  @Problems('pipeline_not_found', changeProblems)
  async resume(@PipelineName() name: string, @InjectPrincipal() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.resume(name, caller));
  }

  @Post('reset')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Restart a pipeline',
    description:
      'The pipeline discards its windows, processes its streams again, and emits the results again as ' +
      'different events. Events that it emitted before remain. Its version does not change. Each reset ' +
      'starts a new job, even when it is repeated.',
  })
  @ApiAnswer(PipelineAnswer, { description: 'A new job has started.' })
  @Problems('pipeline_not_found', 'stream_not_found', changeProblems)
  async reset(@PipelineName() name: string, @InjectPrincipal() caller: Principal): Promise<PipelineAnswer> {
    return pipelineAnswer(await this.changes.reset(name, caller));
  }
}
