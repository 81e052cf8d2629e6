import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { AlwaysAnswered, RequireScope } from '#http';
import { changerOf, nameParam } from '../definitions/definition-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { ProjectionAnswer, projectionAnswer } from './projection-answers.js';
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
  @ApiParam(nameParam)
  @Answers(ProjectionAnswer, { description: 'It is paused.' })
  @Problems('projection_not_found', 'definition_conflict', 'log_unavailable')
  async pause(@Param('name') name: string, @Req() request: FastifyRequest): Promise<ProjectionAnswer> {
    return projectionAnswer(
      await this.changes.setPaused(name, { paused: true }, changerOf('projection', name, request)),
    );
  }

  @Post('resume')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Resume a projection',
    description: 'It goes on where it was, and misses nothing. Repeating it changes nothing.',
  })
  @ApiParam(nameParam)
  @Answers(ProjectionAnswer, { description: 'It runs.' })
  @Problems('projection_not_found', 'definition_conflict', 'log_unavailable')
  async resume(@Param('name') name: string, @Req() request: FastifyRequest): Promise<ProjectionAnswer> {
    return projectionAnswer(
      await this.changes.setPaused(name, { paused: false }, changerOf('projection', name, request)),
    );
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
  @ApiParam(nameParam)
  @Answers(ProjectionAnswer, { description: 'A new build has begun.' })
  @Problems('projection_not_found', 'stream_not_found', 'definition_conflict', 'log_unavailable')
  async reset(@Param('name') name: string, @Req() request: FastifyRequest): Promise<ProjectionAnswer> {
    return projectionAnswer(await this.changes.reset(name, changerOf('projection', name, request)));
  }
}
