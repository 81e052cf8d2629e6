import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { eventToJson, uuidPattern } from '#event';
import { ProblemError } from '#api';
import { DisconnectSignal, InjectPrincipal, PathParameter, Principal, Query, RequireScope } from '#http';
import type { EventReader } from '#store';
import {
  StreamReadAuthorizer,
  ApiAnswer,
  Bulkhead,
  Problems,
  consistentReadProblems,
  jsonType,
} from '#gateway-kit';
import { EventAnswer } from './event-answers.js';
import { EventByIdParameters } from './event-parameters.js';
import './event-problems.js';

/** `GET /api/v1/events/{event_id}`. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get(':event_id')
  @RequireScope('events:read')
  @ApiOperation({ summary: 'Get one event by its id' })
  @ApiAnswer(EventAnswer, { description: 'The event.' })
  @Problems('event_not_found', 'stream_not_found', consistentReadProblems)
  @Header('content-type', jsonType)
  async event(
    @EventId() eventId: string,
    @Query() { wait_for: positions }: EventByIdParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<string> {
    await this.streams.of({ access, positions, client });
    const query = { ...this.streams.ofAny(access), eventId };
    const event = await this.bulkhead.run(client, (signal) => this.store.reader.byId(query, signal));
    if (!event) throw notFound();
    return eventToJson(event);
  }
}

function notFound(): ProblemError {
  return new ProblemError('event_not_found', 'There is no event with this id, or it cannot be queried yet.');
}

/** Injects the event id from the path of the URL. */
function EventId(): ParameterDecorator {
  return PathParameter({ name: 'event_id', schema: { type: 'string', format: 'uuid' } }, (id) => {
    if (uuidPattern.test(id)) return id.toLowerCase();
    const detail = 'must be a UUID';
    throw new ProblemError('invalid_request', `The event id ${detail}.`, {
      errors: [{ pointer: 'event_id', detail }],
    });
  });
}
