import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { entityState } from '#features/entities/state';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { EntitySnapshotReader } from '#store';
import {
  StreamReadAuthorizer,
  ApiAnswer,
  Bulkhead,
  Problems,
  consistentReadProblems,
  jsonType,
} from '#gateway-kit';
import { EntityId } from './entity-id-param.js';
import { EntityStateAnswer, entityStateJson } from './entity-answers.js';
import { EntityStateParameters } from './entity-parameters.js';
import { entityProblem, noEventsProblem } from './entity-problems.js';

/** `GET /api/v1/entities/{entity_id}/state`. */
@ApiTags('entities')
@Controller('api/v1/entities/:entity_id/state')
export class EntityStateController {
  constructor(
    @Inject(STORE) private readonly store: { snapshots: EntitySnapshotReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'Get the state of an entity, now or as of a time',
    description:
      'The `data` of its events, applied in the order of their versions as merge patches (RFC 7396), ' +
      'starting from the nearest snapshot if there is one.',
  })
  @ApiAnswer(EntityStateAnswer, { description: 'The state of the entity.' })
  @Problems('entity_not_found', 'entity_state_too_large', 'stream_not_found', consistentReadProblems)
  @Header('content-type', jsonType)
  async state(
    @EntityId() entityId: string,
    @Query() { stream, as_of: asOf, wait_for: positions }: EntityStateParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    const permitted = await this.streams.of({ access, streams: [stream], positions, client });
    const query = { ...permitted, stream, entityId, asOf };
    const folded = await this.bulkhead
      .run(client, (signal) => entityState(this.store.snapshots, query, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (!folded) throw noEventsProblem({ stream, asOf });
    return entityStateJson({ stream, entityId }, folded);
  }
}
