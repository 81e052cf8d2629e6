import { Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, RequireScope } from '#http';
import { Answers, NoContent } from '../openapi/answers.js';
import { ProjectionName, requireSameName } from '../definitions/definition-name.js';
import {
  detailAnswer,
  ProjectionAnswer,
  projectionAnswer,
  ProjectionDetailAnswer,
} from './projection-answers.js';
import { ProjectionChanges } from './projection-changes.js';
import { ProjectionStats } from './projection-stats.js';
import { VisibleProjections } from './visible-projections.js';
import { ProjectionReplacementInput } from './projection-input.js';
import { Problems, body, readsBoth, changes, defines } from '../openapi/problems.js';
import { wantedProjection } from './wanted-projection.js';

@ApiTags('projections')
@Controller('api/v1/projections/:name')
export class ProjectionController {
  constructor(
    private readonly projections: VisibleProjections,
    private readonly changes: ProjectionChanges,
    private readonly stats: ProjectionStats,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Get one projection',
    description: 'With the build in the making, if there is one.',
  })
  @Answers(ProjectionDetailAnswer, { description: 'How it is defined, and how it is doing.' })
  @Problems('projection_not_found', readsBoth)
  async one(
    @ProjectionName() name: string,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<ProjectionDetailAnswer> {
    const definition = this.projections.get(name, access);
    return detailAnswer(definition, await this.stats.of([definition], client));
  }

  @Put()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Change what a projection folds',
    description:
      'Another definition is another version: it is built from the log beside the one that is read from, and takes its ' +
      'place when it has caught up. The same definition changes nothing.',
  })
  @Answers(ProjectionAnswer, { description: 'The projection as it is now.' })
  @Problems(body, 'invalid_expression', 'projection_not_found', 'stream_not_found', defines)
  async replace(
    @ProjectionName() name: string,
    @Body() input: ProjectionReplacementInput,
    @Caller() caller: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<ProjectionAnswer> {
    requireSameName('projection', input, name);
    this.projections.get(name, caller.access);
    const wanted = { name, spec: wantedProjection(input), client };
    return projectionAnswer(await this.changes.replace(wanted, caller));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a projection with its states',
    description: 'Its dead letters and the events stay.',
  })
  @NoContent('It is gone.')
  @Problems('projection_not_found', changes)
  async remove(@ProjectionName() name: string, @Caller() caller: Principal): Promise<void> {
    await this.changes.remove(name, caller);
  }
}
