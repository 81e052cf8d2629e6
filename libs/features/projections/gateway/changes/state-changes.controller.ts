import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import {
  sendStreamHeaders,
  DescribeEventStream,
  eventStreamType,
  requireEventStreamAccepted,
} from '#features/events';
import { Flag, JsonSchemaPart, ProjectionName, Problems, storeAndLogProblems } from '#gateway-kit';
import { VisibleProjections } from '../visible-projections.js';
import { ProjectionStateReader } from '../states/projection-state-reader.js';
import { ChangeStreamOpener } from './change-stream-opener.js';

/** Query parameters of `GET /api/v1/projections/{name}/changes`. */
class StateChangeParameters {
  @Flag(
    'First sends the states of all keys, and sends them again after a `reset`. Without it, only changes from now on are sent.',
  )
  @JsonSchemaPart({ default: false })
  snapshot: boolean = false;
}

/** `GET /api/v1/projections/{name}/changes`: a live stream of changes as Server-Sent Events. */
@ApiTags('projections')
@Controller('api/v1/projections/:name/changes')
export class StateChangesController {
  constructor(
    private readonly projections: VisibleProjections,
    private readonly states: ProjectionStateReader,
    private readonly changes: ChangeStreamOpener,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Follow the states of a projection',
    description:
      'Server-Sent Events. Each message `change` is a key with its current state, in the same form as a ' +
      'read, a moment after it was saved. Changes of a key in quick succession become one message. ' +
      '`caught_up` means that from here on, each change is sent when it happens. `reset` means that ' +
      'another generation of the projection is now serving, and that the states sent before are no longer ' +
      'valid: with `snapshot=true` the states of all keys follow, otherwise the client must read them. ' +
      'With `Last-Event-ID`, the last id that was received, the stream first sends the latest state of ' +
      'every key that has changed since: no change is lost, and some states may be repeated, with the ' +
      'same `version` or an older one. A comment is sent every 15 seconds. Before the server ends a ' +
      'stream, a message `error` gives the reason as a problem document: `overloaded` for a client that ' +
      'is too slow, `shutting_down`, `invalid_token`, `projection_not_found` for a projection that was ' +
      'deleted or is no longer visible to the key.',
  })
  @DescribeEventStream('The last id that was received.')
  @Problems(
    'invalid_cursor',
    'projection_not_found',
    'projection_building',
    'not_acceptable',
    storeAndLogProblems,
  )
  async stream(
    @ProjectionName() name: string,
    @Query() { snapshot }: StateChangeParameters,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireEventStreamAccepted(request.headers.accept);
    const definition = this.projections.get(name, caller.access);
    await this.states.serving(definition, client);
    if (request.method === 'HEAD') return void reply.header('content-type', eventStreamType).send();
    const lastEventId = request.headers['last-event-id']?.toString();
    const opened = { definition, snapshot, caller, lastEventId, requestId: request.id };
    await this.changes.open(opened, () => sendStreamHeaders(reply), client);
  }
}
