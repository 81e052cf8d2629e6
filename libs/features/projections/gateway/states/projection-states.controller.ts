import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import { foldLimits } from '#dataflow';
import {
  ApiAnswer,
  nameParam,
  ProjectionName,
  requireDefinitionName,
  Problems,
  consistentReadProblems,
  jsonType,
} from '#gateway-kit';
import { VisibleProjections } from '../visible-projections.js';
import { ProjectionStateReader } from './projection-state-reader.js';
import { ProjectionStateAnswer, ProjectionStateList, stateJson, statesJson } from './state-answers.js';
import { ProjectionKeyStateParameters, ProjectionStatesParameters } from './state-parameters.js';

interface StateAddress {
  name: string;
  key: string;
}

const keyParam = {
  name: 'key',
  schema: { type: 'string', minLength: 1, maxLength: foldLimits.keyCharacters, example: 'EUR' },
};
/** Injects the name of the projection and the key from the path of the URL. */
function Address(): ParameterDecorator {
  return Param({
    transform: ({ name, key }: StateAddress) => ({ name: requireDefinitionName('projection', name), key }),
  });
}

/** Reads the states of a projection: of one key, or a page of keys. */
@ApiTags('projections')
@Controller('api/v1/projections/:name/state')
export class ProjectionStatesController {
  constructor(
    private readonly projections: VisibleProjections,
    private readonly states: ProjectionStateReader,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Read the states of a projection',
    description:
      'Sorted by key, or by a field. The states are those of the generation that is serving; while a new ' +
      'one is built, this is the previous one. An API key must cover every stream of the projection.',
  })
  @ApiAnswer(ProjectionStateList, { description: 'A page of states.' })
  @Problems(
    'invalid_cursor',
    'projection_not_found',
    'projection_building',
    'stream_not_found',
    consistentReadProblems,
  )
  @Header('content-type', jsonType)
  async list(
    @ProjectionName() name: string,
    @Query() parameters: ProjectionStatesParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const { limit, cursor, prefix, order_by: orderBy, order, wait_for: positions } = parameters;
    const definition = this.projections.get(name, access);
    const query = { limit, cursor, prefix, orderBy, order };
    return statesJson(await this.states.page(definition, query, { positions, client }));
  }

  @Get(':key')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Read the state of one key of a projection' })
  @ApiParam(nameParam('projection'))
  @ApiParam(keyParam)
  @ApiAnswer(ProjectionStateAnswer, { description: 'The state.' })
  @Problems(
    'projection_not_found',
    'projection_key_not_found',
    'projection_building',
    'stream_not_found',
    consistentReadProblems,
  )
  @Header('content-type', jsonType)
  async one(
    @Address() { name, key }: StateAddress,
    @Query() { wait_for: positions }: ProjectionKeyStateParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const definition = this.projections.get(name, access);
    return stateJson(await this.states.one(definition, key, { positions, client }));
  }
}
