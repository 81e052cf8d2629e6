import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Definitions } from '#registry';
import { accessOf, apiKeyOf, DescribeQuery, parseQuery, RequireScope, requireStillAdmitted } from '#http';
import { begin, mediaType, requireAccepted } from '../../live/event-stream-answer.js';
import { Problems } from '../../openapi/answers.js';
import { clientGone } from '../../reads/client-gone.js';
import { DEFINITIONS } from '../../tokens.js';
import { nameParam, requireName } from '../../definitions/definition-name.js';
import { permittedProjection } from '../named-projection.js';
import { ProjectionStates } from '../states/projection-states.js';
import { ChangeStreams } from './change-streams.js';
import { StateChangeParameters } from './state-change-parameters.js';

@ApiTags('projections')
@Controller('api/v1/projections/:name/changes')
export class StateChangesController {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly states: ProjectionStates,
    private readonly changes: ChangeStreams,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Follow the states of a projection',
    description:
      'Server-Sent Events. Each message `change` is a key with its state as it is read, a moment after it was saved; ' +
      'changes of a key that follow each other fast come as one. `caught_up` says that from here on each change is sent ' +
      'as it comes. `reset` says that another build is served now: what was sent before holds no more; with ' +
      '`snapshot=true` the states of all keys follow, else they are to be read. With `Last-Event-ID`, the last id that ' +
      'came, the newest state of every key that has changed since is sent first: none is left out, and some may come ' +
      'again, with the same `version` or an older one. A comment is sent every 15 seconds. Before a stream is ended by this side, a ' +
      'message `error` says why, as a problem document: `overloaded` for a client that is too slow, `shutting_down`, ' +
      '`invalid_token`, `projection_not_found` for a projection that was deleted or may not be seen any more.',
  })
  @ApiParam(nameParam)
  @ApiHeader({
    name: 'Last-Event-ID',
    description: 'The last id that was received.',
    required: false,
    schema: { type: 'string' },
  })
  @DescribeQuery(StateChangeParameters)
  @ApiResponse({
    status: 200,
    description: 'A stream that ends only with an `error`.',
    content: { [mediaType]: { schema: { type: 'string' } } },
  })
  @Problems(
    'invalid_cursor',
    'projection_not_found',
    'projection_building',
    'not_acceptable',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
  )
  async stream(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { snapshot } = parseQuery(StateChangeParameters, request.query);
    requireName('projection', name);
    requireAccepted(request.headers.accept);
    const access = accessOf(request);
    const definition = permittedProjection(this.definitions.projections.get(name), access);
    const client = clientGone(reply.raw);
    await this.states.requireServed(definition, client);
    if (request.method === 'HEAD') return void reply.header('content-type', mediaType).send();
    const opened = {
      ...{ definition, access, snapshot },
      lastEventId: request.headers['last-event-id']?.toString(),
      requestId: request.id,
      keyId: apiKeyOf(request)?.keyId ?? null,
      requirePermission: () => requireStillAdmitted(request),
    };
    await this.changes.open(opened, () => begin(reply), client);
  }
}
