import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Aborted, AlwaysAnswered, Body, Caller, Principal, Query, recordHeaders, RequireScope } from '#http';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers } from '../openapi/answers.js';
import { DeadLetterReplay, mostReplayed } from './dead-letter-replay.js';
import { ReplayAnswer } from './replay-answers.js';
import { Problems, body, readsBoth } from '../openapi/problems.js';
import { ReplayInput, ReplayParameters } from './replay-input.js';

@ApiTags('dead letters')
@Controller('api/v1/dead-letters/replay')
export class ReplayController {
  constructor(
    private readonly replay: DeadLetterReplay,
    private readonly streams: ReadableStreams,
  ) {}

  @Post()
  @AlwaysAnswered()
  @HttpCode(200)
  @RequireScope('admin')
  @ApiOperation({
    summary: 'Write what dead letters hold to their streams once more, or have it go on in its pipeline',
    description:
      'Named ones, or those of a source that have not been replayed, newest first. Each becomes an event with an id of ' +
      'its own (`events`), once, however often it is replayed; what was refused at intake is read again as its endpoint ' +
      'reads it, checked against the schema that holds now, and keeps its id. Those of a pipeline go on at the operator ' +
      `that gave up on them, as the pipeline is defined now. One request replays ${mostReplayed} at most; ` +
      '`next_cursor` says where the next one goes on. Try it with `dry_run=true` first.',
  })
  @Answers(ReplayAnswer, { description: 'What became of them.' })
  @Problems(body, 'invalid_cursor', readsBoth)
  run(
    @Query() { dry_run: dryRun }: ReplayParameters,
    @Body() { choice }: ReplayInput,
    @Caller() { access, actor }: Principal,
    @Aborted() client: AbortSignal,
    @Req() request: FastifyRequest,
  ): Promise<ReplayAnswer> {
    const [permitted, headers] = [this.streams.ofAny(access), recordHeaders(request)];
    return this.replay.run({ choice, dryRun, permitted, headers, actor, client });
  }
}
