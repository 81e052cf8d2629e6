import { Controller, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { DEFINITIONS } from '#app';
import { limits } from '#event';
import { ProblemError, StreamInput } from '#api';
import type { Definitions } from '#registry';
import { AlwaysAnswered, Body, InjectPrincipal, DescribeProblems, Principal, RequireScope } from '#http';
import { refusalOf } from './authorize-streams.js';
import { createdStreamContent } from './write-answers.js';
import { createStreamProblems } from './write-texts.js';
import './write-problems.js';

/** Controller of the route that creates a stream explicitly, before its first event. */
@ApiTags('streams')
@Controller('api/v1/streams')
export class StreamCreationController {
  constructor(@Inject(DEFINITIONS) private readonly definitions: Definitions) {}

  @ApiOperation({
    summary: 'Create a stream',
    description:
      'Creates a stream with other settings than the defaults that its first event would use, or on an installation where events do not ' +
      'create streams. Two names that differ only in `.` and `_` (`a.b`, `a_b`) collide, because Kafka does not allow both.',
  })
  @ApiResponse({ status: 201, description: 'The created stream.', content: createdStreamContent })
  @DescribeProblems(...createStreamProblems)
  @RequireScope('definitions:write')
  @Post()
  @AlwaysAnswered()
  async create(@Body() input: StreamInput, @InjectPrincipal() { access, actor }: Principal): Promise<object> {
    const { stream, partitions, retention, snapshot_every } = input;
    const refusal = refusalOf(stream, access, '/stream');
    if (refusal) throw refusal.toProblem();
    const settings = {
      ...(partitions != null && { partitions }),
      ...(retention != null && { retention }),
      ...(snapshot_every != null && { snapshot_every }),
    };
    const { definition, created } = await this.definitions.createStream({ stream, ...settings }, actor);
    if (!created) throw new ProblemError('stream_exists', `There is a stream ${stream} already.`);
    const { created_at } = definition;
    return {
      ...{ stream, partitions: definition.partitions, retention: definition.retention },
      snapshot_every: definition.snapshot_every ?? limits.snapshotEvery,
      created_at,
    };
  }
}
