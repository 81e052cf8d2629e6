import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AlwaysAnswered, InjectPrincipal, Principal, RequireScope } from '#http';
import { ProjectionName } from '../definitions/definition-name.js';
import { ApiAnswer } from '../openapi/answers.js';
import { ProjectionAnswer, projectionAnswer } from './projection-answers.js';
import { Problems, changeProblems } from '../openapi/problems.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';

/** Pauses, resumes and resets a projection. The requests to pause, resume and reset a projection have no body. */
@ApiTags('projections')
@Controller('api/v1/projections/:name')
export class ProjectionLifecycleController {
  constructor(private readonly changes: ProjectionDefinitionEditor) {}

  @Post('pause')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Pause a projection',
    description:
      'The projection stops folding events within moments; its states remain readable. Repeating the request changes nothing.',
  })
  @ApiAnswer(ProjectionAnswer, { description: 'The projection is paused.' })
  @Problems('projection_not_found', changeProblems)
  async pause(
    @ProjectionName() name: string,
    @InjectPrincipal() caller: Principal,
  ): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.pause(name, caller));
  }

  @Post('resume')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Resume a projection',
    description:
      'The projection continues where it stopped and misses no event. A failed projection is tried again at its ' +
      'position: if the cause remains, it fails again within moments. Repeating the request changes nothing.',
  })
  @ApiAnswer(ProjectionAnswer, { description: 'The projection is running.' })
  @Problems('projection_not_found', changeProblems)
  async resume(
    @ProjectionName() name: string,
    @InjectPrincipal() caller: Principal,
  ): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.resume(name, caller));
  }

  @Post('reset')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Rebuild a projection',
    description:
      'A new generation is built from the log, while the current one still serves reads; it replaces the ' +
      'current one once it has caught up. The version does not change. Each reset starts a new ' +
      'generation, even when it is repeated.',
  })
  @ApiAnswer(ProjectionAnswer, { description: 'A new generation is being built.' })
  @Problems('projection_not_found', 'stream_not_found', changeProblems)
  async reset(
    @ProjectionName() name: string,
    @InjectPrincipal() caller: Principal,
  ): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.reset(name, caller));
  }
}
