import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { STORE } from '#app';
import { DisconnectSignal, InjectPrincipal, Principal, Query, RequireScope } from '#http';
import type { EventReader } from '#store';
import { StreamReadAuthorizer, listEnd, ApiAnswer, Bulkhead, Problems, storeProblems } from '#gateway-kit';
import { deadLetterAnswer, DeadLetterList } from './dead-letter-answers.js';
import { DeadLetterListParameters } from './dead-letter-parameters.js';

/** Limit of the records of one page, in bytes. While a page is answered, memory has several copies of it. */
const pageBytes = 8 * 1024 * 1024;

/** `GET /api/v1/dead-letters`. */
@ApiTags('dead letters')
@Controller('api/v1/dead-letters')
export class DeadLettersController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Get()
  @RequireScope('events:read')
  @ApiOperation({
    summary: 'List dead letters: records that could not become events or could not be processed, and why',
    description:
      'Newest first. A page ends before `limit` when its records exceed 8 MiB; `has_more` says whether ' +
      'there are more.',
  })
  @ApiAnswer(DeadLetterList, { description: 'A page of dead letters; `total` counts all that match.' })
  @Problems('invalid_cursor', storeProblems)
  async list(
    @Query() { source, replayed, since, until, limit, cursor }: DeadLetterListParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
  ): Promise<DeadLetterList> {
    const chosen = { source, replayed, since, until, limit, cursor, maxBytes: pageBytes };
    const query = { ...this.streams.ofAny(access), ...chosen };
    const page = await this.bulkhead.run(client, (signal) => this.store.reader.deadLetters(query, signal));
    return {
      dead_letters: page.items.map(deadLetterAnswer),
      total: page.total,
      ...listEnd(page.nextCursor),
    };
  }
}
