import { Controller, Delete, Get, HttpCode, Inject, Param, Put, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Definitions } from '#registry';
import {
  accessOf,
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  jsonBody,
  parseBody,
  parseQuery,
  RequireScope,
} from '#http';
import { Answers, NoContent, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { DEFINITIONS } from '../tokens.js';
import { changerOf, nameParam, requireName, requireSameName } from '../definitions/definition-name.js';
import { permittedProjection } from './named-projection.js';
import {
  detailAnswer,
  ProjectionAnswer,
  projectionAnswer,
  ProjectionDetailAnswer,
} from './projection-answers.js';
import { ProjectionChanges } from './projection-changes.js';
import { ProjectionFigures } from './projection-figures.js';
import { ProjectionReplacementInput } from './projection-input.js';
import { wantedProjection } from './wanted-projection.js';

@ApiTags('projections')
@Controller('api/v1/projections/:name')
export class ProjectionController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly changes: ProjectionChanges,
    private readonly figures: ProjectionFigures,
  ) {}

  @Get()
  @RequireScope('definitions:read')
  @ApiOperation({
    summary: 'Get one projection',
    description: 'With the build in the making, if there is one.',
  })
  @ApiParam(nameParam)
  @Answers(ProjectionDetailAnswer, { description: 'How it is defined, and how it is doing.' })
  @Problems('projection_not_found', 'query_too_expensive', 'store_unavailable', 'log_unavailable')
  async one(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionDetailAnswer> {
    parseQuery(NoParameters, request.query);
    requireName('projection', name);
    const definition = permittedProjection(this.definitions.projections.get(name), accessOf(request));
    return detailAnswer(definition, await this.figures.of([definition], clientGone(reply.raw)));
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
  @ApiParam(nameParam)
  @DescribeBody(ProjectionReplacementInput)
  @Answers(ProjectionAnswer, { description: 'The projection as it is now.' })
  @Problems(
    'invalid_json',
    'invalid_expression',
    'projection_not_found',
    'stream_not_found',
    'definition_limit_reached',
    'definition_conflict',
    'payload_too_large',
    'unsupported_media_type',
    'log_unavailable',
  )
  async replace(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ProjectionAnswer> {
    parseQuery(NoParameters, request.query);
    requireName('projection', name);
    const input = parseBody(ProjectionReplacementInput, request);
    requireSameName('projection', input, name);
    const access = accessOf(request);
    permittedProjection(this.definitions.projections.get(name), access);
    const spec = wantedProjection(input, (jsonBody(request) as { fields?: unknown }).fields);
    const wanted = { name, spec, client: clientGone(reply.raw) };
    return projectionAnswer(await this.changes.replace(wanted, { actor: actorOf(request), access }));
  }

  @Delete()
  @AlwaysAnswered()
  @HttpCode(204)
  @RequireScope('definitions:write')
  @ApiOperation({
    summary: 'Delete a projection with its states',
    description: 'Its dead letters and the events stay.',
  })
  @ApiParam(nameParam)
  @NoContent('It is gone.')
  @Problems('projection_not_found', 'definition_conflict', 'log_unavailable')
  async remove(@Param('name') name: string, @Req() request: FastifyRequest): Promise<void> {
    await this.changes.remove(name, changerOf('projection', name, request));
  }
}
