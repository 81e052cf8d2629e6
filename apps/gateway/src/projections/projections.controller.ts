import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Definitions } from '#registry';
import {
  accessOf,
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  DescribeQuery,
  jsonBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { listEnd } from '../lists/list-end.js';
import { pageByName } from '../lists/page-by-name.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { permitsProjection } from './named-projection.js';
import { figuresAnswer, ProjectionAnswer, projectionAnswer, ProjectionList } from './projection-answers.js';
import { ProjectionChanges } from './projection-changes.js';
import { ProjectionFigures } from './projection-figures.js';
import { ProjectionInput } from './projection-input.js';
import { ProjectionListParameters } from './projection-parameters.js';
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
  @DescribeBody(ProjectionInput)
  @Answers(ProjectionAnswer, { status: 201, description: 'It is being built.' })
  @Answers(ProjectionAnswer, { description: 'It is there already.' })
  @Problems(
    'invalid_json',
    'invalid_expression',
    'stream_not_found',
    'projection_exists',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async define(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionAnswer> {
    parseQuery(NoParameters, request.query);
    const input = parseBody(ProjectionInput, request);
    const spec = wantedProjection(input, fieldsIn(request));
    const wanted = { name: input.name, spec, client: clientGone(reply.raw) };
    const changer = { actor: actorOf(request), access: accessOf(request) };
    const { definition, created } = await this.changes.define(wanted, changer);
    void reply.code(created ? 201 : 200).header('location', `/api/v1/projections/${definition.name}`);
    return projectionAnswer(definition);
  }

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'List projections',
    description: 'Sorted by name. A key sees those of which it covers every stream.',
  })
  @DescribeQuery(ProjectionListParameters)
  @Answers(ProjectionList, { description: 'A page of projections; `total` counts all.' })
  @Problems('invalid_cursor', 'query_too_expensive', 'store_unavailable', 'log_unavailable')
  async list(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionList> {
    const { limit, cursor } = parseQuery(ProjectionListParameters, request.query);
    const access = accessOf(request);
    const all = this.definitions.projections
      .all()
      .filter((definition) => permitsProjection(access, definition));
    const page = pageByName(all, ({ name }) => name, { limit, cursor, boundTo: ['projections'] });
    const figures = await this.figures.of(page.items, clientGone(reply.raw));
    return {
      projections: page.items.map((definition) => figuresAnswer(definition, figures)),
      total: all.length,
      ...listEnd(page.nextCursor),
    };
  }
}

function fieldsIn(request: FastifyRequest): unknown {
  return (jsonBody(request) as { fields?: unknown }).fields;
}
