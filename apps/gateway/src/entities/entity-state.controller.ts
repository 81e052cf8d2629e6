import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseTime } from '#event';
import { entityState } from '#entities';
import { DescribeQuery, parseQuery, RequireScope } from '#http';
import type { SnapshotReader } from '#store';
import { ReadableStreams } from '../access/readable-streams.js';
import { positions } from '../events/event-filter.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import { ReadGate } from '../reads/read-gate.js';
import { SNAPSHOTS } from '../tokens.js';
import { checkEntityId, entityParam } from './entity-address.js';
import { EntityStateAnswer, entityStateJson, jsonType } from './entity-answers.js';
import { EntityStateParameters } from './entity-parameters.js';
import { entityProblem, noEvents } from './entity-problems.js';

@ApiTags('entities')
@Controller('api/v1/entities/:entity_id/state')
export class EntityStateController {
  constructor(
    @Inject(SNAPSHOTS) private readonly snapshots: SnapshotReader,
    private readonly gate: ReadGate,
    private readonly streams: ReadableStreams,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Get the state of an entity, now or as of a time',
    description:
      'The `data` of its events, applied by version as merge patches (RFC 7396): from its nearest snapshot on, where ' +
      'there is one.',
  })
  @ApiParam(entityParam)
  @DescribeQuery(EntityStateParameters)
  @Answers(EntityStateAnswer, { description: 'What the entity is like.' })
  @Problems(
    'entity_not_found',
    'entity_state_too_large',
    'stream_not_found',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
    'not_yet_materialized',
  )
  async state(
    @Param('entity_id') entityId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const parameters = parseQuery(EntityStateParameters, request.query);
    checkEntityId(entityId);
    const { stream, as_of } = parameters;
    const client = clientGone(reply.raw);
    const named = { request, streams: [stream], positions: positions(parameters), client };
    const permitted = await this.streams.of(named);
    const asOf = as_of === undefined ? undefined : parseTime(as_of);
    const query = { ...permitted, stream, entityId, asOf };
    const folded = await this.gate
      .run(client, (signal) => entityState(this.snapshots, query, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (!folded) throw noEvents({ stream, asOf: as_of });
    void reply.header('content-type', jsonType).send(entityStateJson({ stream, entityId }, folded));
  }
}
