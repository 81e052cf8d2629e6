import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import {
  DisconnectSignal,
  AlwaysAnswered,
  Body,
  InjectPrincipal,
  Principal,
  Query,
  recordHeaders,
  RequireScope,
} from '#http';
import { StreamReadAuthorizer, ApiAnswer, Problems, bodyProblems, storeAndLogProblems } from '#gateway-kit';
import { DeadLetterReplayRunner, maxReplayedDeadLetters } from './dead-letter-replay-runner.js';
import { ReplayAnswer } from './replay-answers.js';
import { ReplayInput, ReplayParameters } from './replay-input.js';

/** `POST /api/v1/dead-letters/replay`. */
@ApiTags('dead letters')
@Controller('api/v1/dead-letters/replay')
export class ReplayController {
  constructor(
    private readonly replay: DeadLetterReplayRunner,
    private readonly streams: StreamReadAuthorizer,
  ) {}

  @Post()
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
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
  run(
    @Query() { dry_run: dryRun }: ReplayParameters,
    @Body() { choice }: ReplayInput,
    @InjectPrincipal() { access, actor }: Principal,
    @DisconnectSignal() client: AbortSignal,
    @Req() request: FastifyRequest,
  ): Promise<ReplayAnswer> {
    const [permitted, headers] = [this.streams.ofAny(access), recordHeaders(request)];
    return this.replay.run({ choice, dryRun, permitted, headers, actor, client });
  }
}
