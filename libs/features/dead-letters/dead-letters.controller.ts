import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { STORE } from '#app';
import {
  AlwaysAnswered,
  Body,
  DisconnectSignal,
  InjectPrincipal,
  Principal,
  Query,
  recordHeaders,
  RequireScope,
} from '#http';
import type { EventReader } from '#store';
import {
  StreamReadAuthorizer,
  instantPrefix,
  listEnd,
  ApiAnswer,
  Bulkhead,
  Problems,
  bodyProblems,
  storeAndLogProblems,
  storeProblems,
  withoutInstant,
} from '#gateway-kit';
import { DeadLetterReplayRunner, maxReplayedDeadLetters } from './dead-letter-replay-runner.js';
import { deadLetterAnswer, DeadLetterList, ReplayAnswer } from './dead-letter-answers.js';
import { DeadLetterListParameters, ReplayInput, ReplayParameters } from './dead-letter-parameters.js';

/** Limit of the records of one page, in bytes. While a page is answered, memory has several copies of it. */
const pageBytes = 8 * 1024 * 1024;

/** Lists and replays dead letters. The ids of the operations are those of earlier releases. */
@ApiTags('dead letters')
@Controller('api/v1/dead-letters')
export class DeadLettersController {
  constructor(
    @Inject(STORE) private readonly store: { reader: EventReader },
    private readonly bulkhead: Bulkhead,
    private readonly streams: StreamReadAuthorizer,
    private readonly replays: DeadLetterReplayRunner,
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
    @Query() { source, replayed, since, until, limit, cursor: sent }: DeadLetterListParameters,
    @InjectPrincipal() { access }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
  ): Promise<DeadLetterList> {
    const prefix = instantPrefix(request.query, { since, until });
    const cursor = withoutInstant(sent, prefix);
    const chosen = { source, replayed, since, until, limit, cursor, maxBytes: pageBytes };
    const query = { ...this.streams.ofAny(access), ...chosen };
    const page = await this.bulkhead.run(client, (signal) => this.store.reader.deadLetters(query, signal));
    const { nextCursor: next } = page;
    return {
      dead_letters: page.items.map(deadLetterAnswer),
      total: page.total,
      ...listEnd(next && prefix + next),
    };
  }

  @Post('replay')
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
    operationId: 'ReplayController_run',
    summary: 'Replay dead letters into their streams or pipelines',
    description:
      'Replays named dead letters, or those of a source that have not been replayed, newest first. Each ' +
      'becomes one event with an id of its own (`events`), however often it is replayed. A record that ' +
      'was refused at intake is parsed again as its endpoint parses it, checked against the current ' +
      'schema, and keeps its event id. A dead letter of a pipeline continues at the operator that failed, ' +
      `in the current definition of the pipeline. One request replays at most ${maxReplayedDeadLetters} dead ` +
      'letters; `next_cursor` is the cursor for the next request. Try it with `dry_run=true` first.',
  })
  @ApiAnswer(ReplayAnswer, { description: 'The result of the replay.' })
  @Problems(bodyProblems, 'invalid_cursor', storeAndLogProblems)
  replay(
    @Query() { dry_run: dryRun }: ReplayParameters,
    @Body() { choice }: ReplayInput,
    @InjectPrincipal() { access, actor }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
  ): Promise<ReplayAnswer> {
    const headers = recordHeaders(request);
    return this.replays.run({
      choice,
      dryRun,
      permitted: this.streams.ofAny(access),
      headers,
      actor,
      client,
    });
  }
}
