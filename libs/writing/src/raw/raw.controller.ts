import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits, streamNamePattern, streamNameRule } from '#event';
import { ProblemError, type StreamAccess } from '#api';
import {
  AcceptsAnyJson,
  AlwaysAnswered,
  BodyLimit,
  Caller,
  DescribeProblems,
  isJsonLines,
  mediaTypeOf,
  PathParameter,
  Principal,
  Query,
  RequireScope,
  takeBody,
} from '#http';
import type { Written } from '../event-writer.js';
import { Intake } from '../intake.js';
import { textOf } from '../read-request.js';
import { Rejection } from '../rejection.js';
import { refusalOf } from '../stream-permit.js';
import { intakeAnswer, intakeContent } from './intake-answer.js';
import { DerivedIds } from './derived-ids.js';
import { Mapping } from './mapping.js';
import { RawQuery } from './raw-query.js';
import { RawReader } from './raw-reader.js';
import { rawBody, rawProblems, rawText } from './raw-texts.js';
import { readValues } from './read-values.js';
import { requireAll } from './require-all.js';

const described = {
  name: 'stream',
  schema: { type: 'string', pattern: streamNamePattern.source, example: 'access' },
};

/** Events from tools that know a URL and nothing of events. */
@ApiTags('events')
@Controller('api/v1/streams')
export class RawController {
  constructor(private readonly intake: Intake) {}

  @ApiOperation({
    summary: 'Write JSON values of any form as events',
    description: rawText,
    requestBody: rawBody,
  })
  @ApiResponse({
    status: 201,
    description: 'Kafka has acknowledged all of them from all in-sync replicas.',
    content: intakeContent,
  })
  @DescribeProblems(...rawProblems)
  @AcceptsAnyJson()
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @Post(':stream/raw')
  @AlwaysAnswered()
  async raw(
    @PathParameter(described, readStreamName) stream: string,
    @Query() query: RawQuery,
    @Caller() { access }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requirePermitted(stream, access);
    const mapping = new Mapping(stream, { ...query });
    const body = takeBody(request);
    const reception = this.intake.reception(textOf(body));
    const ids = new DerivedIds({ mapping, body });
    const reader = new RawReader({ mapping, reception, idOf: (index) => ids.of(index) });
    await readValues({ text: reception.text, isLines: isJsonLines(mediaTypeOf(request)) }, reader);
    if (mapping.isOfOne && reader.events.length > 1) throw oneIdForMany();
    await this.intake.check(request, reader.events, (index) => `/${index}`);
    requireAll(reader.events, reception.text);
    const results = await this.intake.write(request, reader.events, { atomic: true });
    void reply.code(201).send(intakeAnswer(allWritten(results)));
  }
}

/** @throws ProblemError 400 */
function readStreamName(stream: string): string {
  if (streamNamePattern.test(stream)) return stream;
  throw new ProblemError('invalid_request', 'The stream of the address is not valid.', {
    errors: [{ pointer: 'stream', detail: streamNameRule }],
  });
}

/** @throws ProblemError when the caller may not write to the stream */
function requirePermitted(stream: string, access: StreamAccess): void {
  const refusal = refusalOf(stream, access, 'stream');
  if (refusal) throw refusal.toProblem();
}

/** @throws ProblemError when the stream cannot be written to */
function allWritten(results: readonly (Written | Rejection)[]): Written[] {
  const refusal = results.find((result) => result instanceof Rejection);
  if (refusal) throw refusal.toProblem();
  return results as Written[];
}

function oneIdForMany(): ProblemError {
  const detail = 'must be a JSON pointer where the body has several values: they would all have the same id';
  return new ProblemError('invalid_request', 'The query parameters are not valid.', {
    errors: [{ pointer: 'event_id', detail }],
  });
}
