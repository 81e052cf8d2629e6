import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { formatTime } from '#json';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { EventReader } from '#store';
import { StreamReadAuthorizer, ApiAnswer, Bulkhead, listEnd, Problems, storeProblems } from '#gateway-kit';
import { EntityList } from './entity-list-answers.js';
import { EntityListParameters } from './entity-list-parameters.js';

/** `GET /api/v1/entities`: lists entities. */
@ApiTags('entities')
@Controller('api/v1/entities')
export class EntitiesController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
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
    const permitted = await this.streams.of({ access, streams, client });
    const query = { ...permitted, stream, limit, cursor };
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
}
