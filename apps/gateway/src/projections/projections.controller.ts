import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  DisconnectSignal,
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  Principal,
  Query,
  RequireScope,
} from '#http';
import { pageByName } from '../lists/page-by-name.js';
import { ApiAnswer } from '../openapi/answers.js';
import {
  projectionStatsAnswer,
  ProjectionAnswer,
  projectionAnswer,
  ProjectionList,
} from './projection-answers.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { VisibleProjections } from './visible-projections.js';
import { ProjectionInput } from './projection-input.js';
import { Problems, bodyProblems, storeAndLogProblems, createProblems } from '../openapi/problems.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { validatedProjection } from './validated-projection.js';

/** `GET` and `POST /api/v1/projections`: lists and creates projections. */
@ApiTags('projections')
@Controller('api/v1/projections')
export class ProjectionsController {
  constructor(
    private readonly projections: VisibleProjections,
    private readonly changes: ProjectionDefinitionEditor,
    private readonly stats: ProjectionStatsReader,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Define a projection',
    description:
      'The projection folds the events of its streams into one state for each key, from the beginning or ' +
      'from now on. States can be read once it has caught up with the log for the first time. If the same ' +
      'projection exists already, the answer is that projection (200).',
  })
  @ApiAnswer(ProjectionAnswer, { status: 201, description: 'The projection is being built.' })
  @ApiAnswer(ProjectionAnswer, { description: 'The projection exists already.' })
  @Problems(bodyProblems, 'invalid_expression', 'stream_not_found', 'projection_exists', createProblems)
  async define(
    @Body() input: ProjectionInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionAnswer> {
    const wanted = { name: input.name, spec: validatedProjection(input), client };
    const { definition, created } = await this.changes.define(wanted, caller);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/projections/${definition.name}`);
    return projectionAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List projections',
    description: 'Sorted by name. A key sees a projection only if it covers all of its streams.',
  })
  @ApiAnswer(ProjectionList, { description: 'A page of projections; `total` counts all.' })
  @Problems('invalid_cursor', storeAndLogProblems)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<ProjectionList> {
    const all = this.projections.all(access);
    const { items, end } = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['projections'] });
    const stats = await this.stats.of(items, client);
    return { projections: items.map((definition) => projectionStatsAnswer(definition, stats)), ...end };
  }
}
