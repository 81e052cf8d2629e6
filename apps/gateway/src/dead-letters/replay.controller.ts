import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import {
  actorOf,
  AlwaysAnswered,
  DescribeBody,
  DescribeQuery,
  parseBody,
  parseQuery,
  recordHeaders,
  RequireScope,
} from '#http';
import { ReadableStreams } from '../access/readable-streams.js';
import { Answers, Problems } from '../openapi/answers.js';
import { clientGone } from '../reads/client-gone.js';
import type { LetterChoice } from './chosen-letters.js';
import { DeadLetterReplay, mostReplayed } from './dead-letter-replay.js';
import { ReplayAnswer } from './replay-answers.js';
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
      'its own (`events`), once, however often it is replayed. Those of a pipeline go on at the operator that gave up on ' +
      `them, as the pipeline is defined now. One request replays ${mostReplayed} at most; ` +
      '`next_cursor` says where the next one goes on. Try it with `dry_run=true` first.',
  })
  @DescribeQuery(ReplayParameters)
  @DescribeBody(ReplayInput)
  @Answers(ReplayAnswer, { description: 'What became of them.' })
  @Problems(
    'invalid_json',
    'invalid_cursor',
    'payload_too_large',
    'unsupported_media_type',
    'query_too_expensive',
    'store_unavailable',
    'log_unavailable',
  )
  async run(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplayAnswer> {
    const { dry_run: dryRun } = parseQuery(ReplayParameters, request.query);
    const choice = choiceOf(parseBody(ReplayInput, request));
    return this.replay.run({
      ...{ choice, dryRun },
      permitted: this.streams.ofAny(request),
      headers: recordHeaders(request),
      actor: actorOf(request),
      client: clientGone(reply.raw),
    });
  }
}

/** @throws ProblemError 400 */
function choiceOf({ ids, source, cursor }: ReplayInput): LetterChoice {
  if (ids && !source && !cursor) return { ids };
  if (source && !ids) return { source, cursor: cursor ?? undefined };
  const detail = cursor && ids ? 'goes with source, not with ids' : 'send either ids or source';
  throw new ProblemError(
    'invalid_request',
    'Send the ids of dead letters, or the source of which to take all.',
    {
      errors: [{ pointer: cursor && ids ? '/cursor' : '', detail }],
    },
  );
}
