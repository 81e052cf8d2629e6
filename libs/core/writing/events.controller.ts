import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventInput } from '#api';
import { formatTime } from '#json';
import { limits } from '#event';
import {
  AcceptsBasicAuth,
  Accepts,
  AlwaysAnswered,
  setPreferenceApplied,
  BodyLimit,
  DescribeBody,
  DescribeProblems,
  handlingOf,
  mediaTypeOf,
  Query,
  RequireScope,
  takeBody,
  RepairsText,
  isRepaired,
  notUtf8,
} from '#http';
import { expectConsecutiveVersions } from './atomic-conditional-batch.js';
import { batchAnswer, decisionJson, warningsJson } from './batch-answer.js';
import { BatchWriteParameters } from './batch-input.js';
import type { AppendedEvent } from './read-event.js';
import { EventWriteService } from './event-write-service.js';
import { readBatch, readLines, readSingle, textOf } from './read-request.js';
import { asEvent, rejectedEventEncoder } from './rejected-event-encoder.js';
import { EventRejection } from './rejection.js';
import { batchBody, batchContent, writtenContent } from './write-answers.js';
import { batchProblems, manyEvents, preferHeader, oneEvent, writeProblems } from './write-texts.js';

const json = 'application/json; charset=utf-8';

/**
 * Controller of the routes that write one event and a batch of events. For speed, it builds the JSON text of its
 * answers itself.
 */
@ApiTags('events')
@Controller('api/v1/events')
export class EventsController {
  constructor(private readonly intake: EventWriteService) {}

  @ApiOperation({ summary: 'Write one event', description: oneEvent })
  @ApiResponse({
    status: 201,
    description: 'All in-sync replicas of Kafka have acknowledged the event.',
    content: writtenContent,
  })
  @DescribeProblems(...writeProblems)
  @DescribeBody(EventInput)
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @AcceptsBasicAuth()
  @Post()
  @AlwaysAnswered()
  async one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const event = readSingle(this.intake.parserInputs(textOf(takeBody(request))));
    const events = [event];
    await this.intake.check(request, events, () => '');
    const warnings: string[] = [];
    const warn = (warning: string) => void warnings.push(warning);
    const [result] = await this.intake.write(request, events, { atomic: false, warn });
    if (!result || result instanceof EventRejection) throw result?.toProblem() ?? new Error('no result');
    const location = `/api/v1/events/${event.event_id}`;
    void reply
      .code(201)
      .header('location', location)
      .header('content-type', json)
      .send(writtenJson(result, warnings));
  }

  @ApiOperation({
    summary: 'Write up to 10 000 events, as JSON or newline-delimited JSON',
    description: manyEvents,
    requestBody: batchBody,
  })
  @ApiResponse({
    status: 201,
    description: 'All events were written. The answer has a position for each, in order.',
    content: batchContent,
  })
  @ApiResponse({
    status: 200,
    description:
      'With `Prefer: handling=lenient`: some events were written or kept. The answer has a position or an error for each, in order.',
    content: batchContent,
  })
  @ApiResponse({
    status: 207,
    description: 'Some events were written. The answer has a position or an error for each, in order.',
    content: batchContent,
  })
  @DescribeProblems(...batchProblems)
  @ApiHeader(preferHeader)
  @Accepts('application/json', 'application/x-ndjson')
  @RepairsText()
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @AcceptsBasicAuth()
  @Post('batch')
  @AlwaysAnswered()
  async batch(
    @Query() { atomic }: BatchWriteParameters,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isLines = mediaTypeOf(request) === 'application/x-ndjson';
    if (isRepaired(request) && !isLines) throw notUtf8();
    const inputs = this.intake.parserInputs(textOf(takeBody(request)), { isRepaired: isRepaired(request) });
    const events = await (isLines ? readLines : readBatch)(inputs);
    if (atomic) expectConsecutiveVersions(events);
    await this.intake.check(request, events, (index) => `/events/${index}`);
    const isLenient = !atomic && handlingOf(request) === 'lenient';
    const keep = isLenient ? rejectedEventEncoder(inputs, asEvent) : undefined;
    const warnings: string[] = [];
    const warn = (warning: string) => void warnings.push(warning);
    const results = await this.intake.write(request, events, { atomic, keep, warn });
    const answer = batchAnswer(results, { isLenient, warnings });
    setPreferenceApplied(reply, { handling: isLenient ? 'lenient' : undefined });
    void reply.code(answer.status).header('content-type', json).send(answer.body);
  }
}

function writtenJson(appended: AppendedEvent, warnings: readonly string[]): string {
  const { event, position } = appended;
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"timestamp":"${formatTime(event.timestamp)}","partition":${position.partition},"offset":${position.offset}${decisionJson(appended)}${warningsJson(warnings)}}`
  );
}
