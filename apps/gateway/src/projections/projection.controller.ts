import { Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DisconnectSignal, AlwaysAnswered, Body, InjectPrincipal, Principal, RequireScope } from '#http';
import { ApiAnswer, NoContent } from '../openapi/answers.js';
import { ProjectionName, requireSameName } from '../definitions/definition-name.js';
import {
  projectionDetailAnswer,
  ProjectionAnswer,
  projectionAnswer,
  ProjectionDetailAnswer,
} from './projection-answers.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { VisibleProjections } from './visible-projections.js';
import { ProjectionReplacementInput } from './projection-input.js';
import {
  Problems,
  bodyProblems,
  storeAndLogProblems,
  changeProblems,
  createProblems,
} from '../openapi/problems.js';
import { validatedProjection } from './validated-projection.js';

/** Routes of one projection: reads, replaces and deletes its definition. */
@ApiTags('projections')
@Controller('api/v1/projections/:name')
export class ProjectionController {
  constructor(
    private readonly projections: VisibleProjections,
    private readonly changes: ProjectionDefinitionEditor,
    private readonly stats: ProjectionStatsReader,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Get one projection',
    description: 'Includes the progress of the generation being built, if there is one.',
  })
  @ApiAnswer(ProjectionDetailAnswer, { description: 'The definition of the projection, and its statistics.' })
  @Problems('projection_not_found', storeAndLogProblems)
  async one(
    @ProjectionName() name: string,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<ProjectionDetailAnswer> {
    const definition = this.projections.get(name, access);
    return projectionDetailAnswer(definition, await this.stats.of([definition], client));
  }

  @Put()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Change the definition of a projection',
    description:
      'A different definition is a new version. Its generation is built from the log while the current ' +
      'one still serves reads, and replaces it once it has caught up. The same definition changes ' +
      'nothing.',
  })
  @ApiAnswer(ProjectionAnswer, { description: 'The current definition of the projection.' })
  @Problems(bodyProblems, 'invalid_expression', 'projection_not_found', 'stream_not_found', createProblems)
  async replace(
    @ProjectionName() name: string,
    @Body() input: ProjectionReplacementInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<ProjectionAnswer> {
    requireSameName('projection', input, name);
    this.projections.get(name, caller.access);
    const wanted = { name, spec: validatedProjection(input), client };
    return projectionAnswer(await this.changes.replace(wanted, caller));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a projection with its states',
    description: 'Its dead letters and the events of its streams remain.',
  })
  @NoContent('The projection is deleted.')
  @Problems('projection_not_found', changeProblems)
  async remove(@ProjectionName() name: string, @InjectPrincipal() caller: Principal): Promise<void> {
    await this.changes.remove(name, caller);
  }
}
