import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import type { Definitions, ProjectionDefinition } from '#registry';
import { accessOf, DescribeQuery, parseQuery, RequireScope } from '#http';
import { foldLimits } from '#dataflow';
import { positions } from '../../events/event-filter.js';
import { Answers, Problems } from '../../openapi/answers.js';
import { clientGone } from '../../reads/client-gone.js';
import { DEFINITIONS } from '../../tokens.js';
import { nameParam, requireName } from '../../definitions/definition-name.js';
import { permittedProjection } from '../named-projection.js';
import { ProjectionStates } from './projection-states.js';
import { ProjectionStateAnswer, ProjectionStateList, stateJson, statesJson } from './state-answers.js';
import { ProjectionKeyParameters, ProjectionStatesParameters } from './state-parameters.js';

const json = 'application/json; charset=utf-8';

@ApiTags('projections')
@Controller('api/v1/projections/:name/state')
export class ProjectionStatesController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly states: ProjectionStates,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Read the states of a projection',
    description:
      'By key, or sorted by a field. They are those of the build that is served: while another one is made, the one ' +
      'before it. A key needs to cover every stream that is folded.',
  })
  @ApiParam(nameParam)
  @DescribeQuery(ProjectionStatesParameters)
  @Answers(ProjectionStateList, { description: 'A page of states.' })
  @Problems(
    'invalid_cursor',
    'projection_not_found',
    'projection_building',
    'stream_not_found',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async list(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parameters = parseQuery(ProjectionStatesParameters, request.query);
    const { limit, cursor, prefix, order_by: orderBy, order } = parameters;
    if (order === 'desc' && orderBy === undefined) throw orderOfNothing();
    const definition = this.named(name, request);
    const reading = { positions: positions(parameters), client: clientGone(reply.raw) };
    const page = await this.states.page(definition, { limit, cursor, prefix, orderBy, order }, reading);
    void reply.header('content-type', json).send(statesJson(page));
  }

  @Get(':key')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Read the state of one key of a projection' })
  @ApiParam(nameParam)
  @ApiParam({ name: 'key', schema: { type: 'string', minLength: 1, maxLength: foldLimits.keyCharacters } })
  @DescribeQuery(ProjectionKeyParameters)
  @Answers(ProjectionStateAnswer, { description: 'The state.' })
  @Problems(
    'projection_not_found',
    'projection_key_not_found',
    'projection_building',
    'stream_not_found',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async one(
    @Param() { name, key }: { name: string; key: string },
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parameters = parseQuery(ProjectionKeyParameters, request.query);
    const definition = this.named(name, request);
    const reading = { positions: positions(parameters), client: clientGone(reply.raw) };
    const state = await this.states.one(definition, key, reading);
    void reply.header('content-type', json).send(stateJson(state));
  }

  private named(name: string, request: FastifyRequest): ProjectionDefinition {
    requireName('projection', name);
    return permittedProjection(this.definitions.projections.get(name), accessOf(request));
  }
}

function orderOfNothing(): ProblemError {
  const detail = 'needs order_by: without it, states are sorted by key, ascending';
  return new ProblemError('invalid_request', `The parameter order ${detail}.`, {
    errors: [{ pointer: 'order', detail }],
  });
}
