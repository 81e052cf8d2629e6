import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { formatTime } from '#json';
import { entityState, type EntitySnapshotReader } from '#features/entities/state';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { EventReader } from '#store';
import {
  StreamReadAuthorizer,
  ApiAnswer,
  Bulkhead,
  listEnd,
  Problems,
  consistentReadProblems,
  jsonType,
  storeProblems,
} from '#gateway-kit';
import { EntityList, EntityStateAnswer, entityStateJson } from './entity-answers.js';
import { ENTITY_SNAPSHOTS } from './entity-snapshots-by-stream-name.js';
import { EntityId, EntityListParameters, EntityStateParameters } from './entity-parameters.js';
import { entityProblem, noEventsProblem } from './entity-problems.js';

/** Lists entities, and reads their state. The ids of the operations are those of earlier releases. */
@ApiTags('entities')
@Controller('api/v1/entities')
export class EntitiesController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    @Inject(ENTITY_SNAPSHOTS) private readonly snapshots: EntitySnapshotReader,
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({ summary: 'List entities, each with its latest version and the time of its last event' })
  @ApiAnswer(EntityList, { description: 'A page of entities.' })
  @Problems('invalid_cursor', 'stream_not_found', storeProblems)
  async list(
    @Query() { stream, limit, cursor }: EntityListParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<EntityList> {
    const streams = stream === undefined ? undefined : [stream];
    const scope = await this.streams.of({ access, streams, client });
    const query = { ...scope, stream, limit, cursor };
    const page = await this.bulkhead.run(client, (signal) => this.store.reader.entities(query, signal));
    return {
      entities: page.items.map((entity) => ({
        ...entity,
        last_timestamp: formatTime(entity.last_timestamp),
      })),
      count: page.items.length,
      ...listEnd(page.nextCursor),
    };
  }

  @Get(':entity_id/state')
  @RequireScope('events:read')
  @ApiOperation({
    operationId: 'EntityStateController_state',
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
    const scope = await this.streams.of({ access, streams: [stream], positions, client });
    const query = { ...scope, stream, entityId, asOf };
    const folded = await this.bulkhead
      .run(client, (signal) => entityState(this.snapshots, query, signal))
      .catch((error: unknown) => {
        throw entityProblem(error);
      });
    if (!folded) throw noEventsProblem({ stream, asOf });
    return entityStateJson({ stream, entityId }, folded);
  }
}
