import { Controller, Get, Inject, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Definitions } from '#registry';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, Query, RequireScope } from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers } from '../openapi/answers.js';
import { DEFINITIONS } from '../tokens.js';
import { permitsProjection } from './named-projection.js';
import { figuresAnswer, ProjectionAnswer, projectionAnswer, ProjectionList } from './projection-answers.js';
import { ProjectionChanges } from './projection-changes.js';
import { ProjectionFigures } from './projection-figures.js';
import { ProjectionInput } from './projection-input.js';
import { Problems, body, readsBoth, defines } from '../openapi/problems.js';
import { PageParameters } from '../parameters/page-parameters.js';
import { wantedProjection } from './wanted-projection.js';

@ApiTags('projections')
@Controller('api/v1/projections')
export class ProjectionsController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly changes: ProjectionChanges,
    private readonly figures: ProjectionFigures,
  ) {}

  @Post()
  @AlwaysAnswered()
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Define a projection',
    description:
      'It folds the events of its streams into one state for each key, from the beginning on or from now. States can be ' +
      'read when it has caught up with the log for the first time. A projection that is there already and exactly this ' +
      'is answered as it is (200).',
  })
  @Answers(ProjectionAnswer, { status: 201, description: 'It is being built.' })
  @Answers(ProjectionAnswer, { description: 'It is there already.' })
  @Problems(body, 'invalid_expression', 'stream_not_found', 'projection_exists', defines)
  async define(
    @Body() input: ProjectionInput,
    @Caller() caller: Principal,
    @Aborted() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionAnswer> {
    const wanted = { name: input.name, spec: wantedProjection(input), client };
    const { definition, created } = await this.changes.define(wanted, caller);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/projections/${definition.name}`);
    return projectionAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List projections',
    description: 'Sorted by name. A key sees those of which it covers every stream.',
  })
  @Answers(ProjectionList, { description: 'A page of projections; `total` counts all.' })
  @Problems('invalid_cursor', readsBoth)
  async list(
    @Query() { limit, cursor }: PageParameters,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<ProjectionList> {
    const all = this.definitions.projections
      .all()
      .filter((definition) => permitsProjection(access, definition));
    const page = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['projections'] });
    const figures = await this.figures.of(page.items, client);
    return {
      projections: page.items.map((definition) => figuresAnswer(definition, figures)),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}
