import { Controller, Get, Header, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '#api';
import { createSnapshot, type EntitySnapshotStore } from '#features/entities/state';
import { DisconnectSignal, Body, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import {
  refuseReserved,
  StreamReadAuthorizer,
  ApiAnswer,
  Bulkhead,
  Problems,
  bodyProblems,
  storeProblems,
  jsonType,
} from '#gateway-kit';
import {
  CreatedSnapshotAnswer,
  snapshotJson,
  snapshotJsonWithoutState,
  SnapshotList,
  snapshotListJson,
} from './entity-answers.js';
import { ENTITY_SNAPSHOTS } from './entity-snapshots-by-stream-name.js';
import { EntitySnapshotInput, SnapshotListParameters } from './entity-parameters.js';
import { entityProblem, noEventsProblem } from './entity-problems.js';

/** `GET` and `POST /api/v1/snapshots`: lists and creates snapshots of entities. */
@ApiTags('snapshots')
@Controller('api/v1/snapshots')
export class EntitySnapshotsController {
  constructor(
    @Inject(ENTITY_SNAPSHOTS) private readonly snapshots: EntitySnapshotStore,
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List snapshots of a stream or of an entity, newest first',
    description:
      'A page ends before its `limit` when states are large: follow `next_cursor` while there is one.',
  })
  @ApiAnswer(SnapshotList, { description: 'A page of snapshots; `total` counts all that match.' })
  @Problems('invalid_cursor', 'stream_not_found', storeProblems)
  @Header('content-type', jsonType)
  async list(
    @Query() { stream, entity_id: entityId, limit, cursor }: SnapshotListParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const streams = stream === undefined ? undefined : [stream];
    const scope = await this.streams.of({ access, streams, client });
    const query = { ...scope, stream, entityId, limit, cursor };
    const page = await this.bulkhead.run(client, (signal) => this.snapshots.snapshots(query, signal));
    return snapshotListJson(page);
  }

  @Post()
  @HttpCode(201)
  @RequireScope('events:write')
  @ApiOperation({
    summary: 'Create a snapshot of the current stored state of an entity',
    description:
      'A version has at most one snapshot: if it exists already, the answer is that snapshot (200). The ' +
      'answer has the `state` only for a key with the scope `events:read`.',
  })
  @ApiAnswer(CreatedSnapshotAnswer, { status: 201, description: 'The new snapshot.' })
  @ApiAnswer(CreatedSnapshotAnswer, { description: 'The existing snapshot of this version.' })
  @Problems(
    bodyProblems,
    'entity_not_found',
    'entity_state_too_large',
    'snapshot_impossible',
    'stream_not_found',
    'stream_reserved',
    storeProblems,
  )
  @Header('content-type', jsonType)
  async make(
    @Body() { stream, entity_id: entityId }: EntitySnapshotInput,
    @InjectPrincipal() caller: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    refuseReserved(stream, { pointer: '/stream' });
    const { access } = caller;
    const scope = await this.streams.of({ access, streams: [stream], client, pointer: '/stream' });
    const desired = { ...scope, stream, entityId, reason: 'requested', now: Date.now() * 1000 } as const;
    const made = await this.bulkhead
      .run(client, (signal) => createSnapshot(this.snapshots, desired, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (made === 'no_events') throw noEventsProblem({ stream });
    if (made === 'removed_meanwhile')
      throw new ProblemError(
        'snapshot_impossible',
        'Events of the entity were erased or expired while the snapshot was created: repeat the request.',
      );
    const { snapshot, created } = made;
    void reply.code(created ? 201 : 200);
    return caller.has('events:read') ? snapshotJson(snapshot) : snapshotJsonWithoutState(snapshot);
  }
}
