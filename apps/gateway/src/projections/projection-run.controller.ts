import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, Caller, Principal, RequireScope } from '#http';
import { ProjectionName } from '../definitions/definition-name.js';
import { Answers } from '../openapi/answers.js';
import { ProjectionAnswer, projectionAnswer } from './projection-answers.js';
import { Problems, changes } from '../openapi/problems.js';
import { ProjectionChanges } from './projection-changes.js';

/** Whether a projection runs, and building it anew. None of these has a body. */
@ApiTags('projections')
@Controller('api/v1/projections/:name')
export class ProjectionRunController {
  constructor(private readonly changes: ProjectionChanges) {}

  @Post('pause')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Pause a projection',
    description:
      'It folds nothing more within moments; its states can be read. Repeating it changes nothing.',
  })
  @Answers(ProjectionAnswer, { description: 'It is paused.' })
  @Problems('projection_not_found', changes)
  async pause(@ProjectionName() name: string, @Caller() caller: Principal): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.setPaused(name, true, caller));
  }

  @Post('resume')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Resume a projection',
    description: 'It goes on where it was, and misses nothing. Repeating it changes nothing.',
  })
  @Answers(ProjectionAnswer, { description: 'It runs.' })
  @Problems('projection_not_found', changes)
  async resume(@ProjectionName() name: string, @Caller() caller: Principal): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.setPaused(name, false, caller));
  }

  @Post('reset')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Build a projection anew',
    description:
      'From the log, beside the one that is read from, which it replaces when it has caught up. The version stays. Each ' +
      'reset begins anew, also one that is repeated.',
  })
  @Answers(ProjectionAnswer, { description: 'A new build has begun.' })
  @Problems('projection_not_found', 'stream_not_found', changes)
  async reset(@ProjectionName() name: string, @Caller() caller: Principal): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.reset(name, caller));
  }
}
