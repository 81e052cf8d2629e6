import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { entityState } from '#entities';
import { Aborted, Caller, Principal, Query, RequireScope } from '#http';
import type { SnapshotReader } from '#store';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers } from '../openapi/answers.js';
import { Bulkhead } from '../reads/bulkhead.js';
import { STORE } from '../adapters/adapters.js';
import { EntityId } from './entity-address.js';
import { EntityStateAnswer, entityStateJson } from './entity-answers.js';
import { EntityStateParameters } from './entity-parameters.js';
import { Problems, awaits } from '../openapi/problems.js';
import { jsonType } from '../answers/json-type.js';
import { entityProblem, noEvents } from './entity-problems.js';

@ApiTags('entities')
@Controller('api/v1/entities/:entity_id/state')
export class EntityStateController {
  constructor(
    @Inject(STORE) private readonly store: { snapshots: SnapshotReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: ReadableStreams,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Get the state of an entity, now or as of a time',
    description:
      'The `data` of its events, applied in the order of their versions as merge patches (RFC 7396), ' +
      'starting from the nearest snapshot if there is one.',
  })
  @Answers(EntityStateAnswer, { description: 'The state of the entity.' })
  @Problems('entity_not_found', 'entity_state_too_large', 'stream_not_found', awaits)
  @Header('content-type', jsonType)
  async state(
    @EntityId() entityId: string,
    @Query() { stream, as_of: asOf, wait_for: positions }: EntityStateParameters,
    @Caller() { access }: Principal,
    @Aborted() client: AbortSignal,
  ): Promise<string> {
    const permitted = await this.streams.of({ access, streams: [stream], positions, client });
    const query = { ...permitted, stream, entityId, asOf };
    const folded = await this.bulkhead
      .run(client, (signal) => entityState(this.store.snapshots, query, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (!folded) throw noEvents({ stream, asOf });
    return entityStateJson({ stream, entityId }, folded);
  }
}
