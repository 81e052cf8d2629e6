import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { makeSnapshot } from '#entities';
import { DescribeBody, DescribeQuery, hasScope, parseBody, parseQuery, RequireScope } from '#http';
import type { SnapshotStore } from '#store';
import { refuseReserved } from '../access/permit.js';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers, Problems } from '../openapi/answers.js';
import { NoParameters } from '../parameters/no-parameters.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { SNAPSHOTS } from '../tokens.js';
import {
  jsonType,
  MadeSnapshotAnswer,
  snapshotJson,
  snapshotJsonWithoutState,
  SnapshotList,
  snapshotListJson,
} from './entity-answers.js';
import { SnapshotListParameters } from './entity-parameters.js';
import { entityProblem, noEvents, removedMeanwhile } from './entity-problems.js';
import { SnapshotInput } from './snapshot-input.js';

@ApiTags('snapshots')
@Controller('api/v1/snapshots')
export class SnapshotsController {
  constructor(
    @Inject(SNAPSHOTS) private readonly snapshots: SnapshotStore,
    private readonly gate: ReadGate,
    private readonly streams: ReadableStreams,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List snapshots of a stream or of an entity, newest first',
    description:
      'A page ends before its `limit` where states are large: follow `next_cursor` while there is one.',
  })
  @DescribeQuery(SnapshotListParameters)
  @Answers(SnapshotList, { description: 'A page of snapshots; `total` counts all that match.' })
  @Problems('invalid_cursor', 'stream_not_found', 'query_too_expensive', 'store_unavailable')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { stream, entity_id: entityId, limit, cursor } = parseQuery(SnapshotListParameters, request.query);
    if (stream === undefined && entityId === undefined) throw neither();
    const client = clientGone(reply.raw);
    const streams = stream === undefined ? undefined : [stream];
    const permitted = await this.streams.of({ request, streams, client });
    const query = { ...permitted, stream, entityId, limit, cursor };
    const page = await this.gate.run(client, (signal) => this.snapshots.snapshots(query, signal));
    void reply.header('content-type', jsonType).send(snapshotListJson(page));
  }

  @Post()
  @HttpCode(201)
  @RequireScope('events:write')
  @ApiOperation({
    summary: 'Make a snapshot of an entity as it is stored now',
    description:
      'There is one snapshot of a version: where it has been made, that one is answered with 200. The answer has the ' +
      '`state` only for a key with the scope `events:read`.',
  })
  @DescribeBody(SnapshotInput)
  @Answers(MadeSnapshotAnswer, { status: 201, description: 'The new snapshot.' })
  @Answers(MadeSnapshotAnswer, { description: 'The snapshot that there is of this version.' })
  @Problems(
    'invalid_json',
    'entity_not_found',
    'entity_state_too_large',
    'snapshot_impossible',
    'stream_not_found',
    'stream_reserved',
    'payload_too_large',
    'unsupported_media_type',
    'query_too_expensive',
    'store_unavailable',
  )
  async make(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    parseQuery(NoParameters, request.query);
    const { stream, entity_id: entityId } = parseBody(SnapshotInput, request);
    refuseReserved(stream, { pointer: '/stream' });
    const client = clientGone(reply.raw);
    const permitted = await this.streams.of({ request, streams: [stream], client, pointer: '/stream' });
    const wanted = { ...permitted, stream, entityId, reason: 'requested', now: Date.now() * 1000 } as const;
    const made = await this.gate
      .run(client, (signal) => makeSnapshot(this.snapshots, wanted, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (made === 'no_events') throw noEvents({ stream });
    if (made === 'removed_meanwhile') throw removedMeanwhile();
    const { snapshot, created } = made;
    void reply
      .code(created ? 201 : 200)
      .header('content-type', jsonType)
      .send(hasScope(request, 'events:read') ? snapshotJson(snapshot) : snapshotJsonWithoutState(snapshot));
  }
}

function neither(): ProblemError {
  const detail = 'give stream, entity_id, or both';
  return new ProblemError(
    'invalid_request',
    'Say of which stream or of which entity: one of them is required.',
    {
      errors: ['stream', 'entity_id'].map((pointer) => ({ pointer, detail })),
    },
  );
}
