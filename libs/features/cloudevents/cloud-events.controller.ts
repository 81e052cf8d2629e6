import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#event';
import {
  AcceptsBasicAuth,
  AcceptsBytes,
  AlwaysAnswered,
  setPreferenceApplied,
  BodyLimit,
  InjectPrincipal,
  DescribeProblems,
  handlingOf,
  Principal,
  RequireScope,
  returnOf,
} from '#http';
import {
  EventWriteService,
  EventRejection,
  asCloudEvent,
  rejectedEventEncoder,
  StreamName,
  requireAuthorized,
  writeProblems,
} from '#writing';
import { intakeAnswer, intakeContent, readList, readValue, requireAll } from '#features/raw';
import { CloudEventReader } from './cloud-event-reader.js';
import { cloudEventBody, cloudEventPreferHeader, cloudEventText } from './cloud-event-texts.js';
import { batchType, cloudEventsOf, pointerIn, structuredType } from './read-cloud-events.js';

/** Receives CloudEvents 1.0 over HTTP, in all three content modes. */
@ApiTags('events')
@Controller('api/v1/streams')
export class CloudEventsController {
  constructor(private readonly intake: EventWriteService) {}

  @ApiOperation({
    summary: 'Write CloudEvents',
    description: cloudEventText,
    requestBody: cloudEventBody,
  })
  @ApiResponse({
    status: 204,
    description: 'All in-sync replicas of Kafka have acknowledged all events.',
  })
  @ApiResponse({
    status: 200,
    description: 'The same as 204, with a body, for `Prefer: return=representation`.',
    content: intakeContent,
  })
  @DescribeProblems(...writeProblems)
  @ApiHeader(cloudEventPreferHeader)
  @AcceptsBytes(structuredType, batchType)
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @AcceptsBasicAuth()
  @Post(':stream/cloudevents')
  @AlwaysAnswered()
  async cloudEvents(
    @StreamName() stream: string,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireAuthorized(stream, access);
    const { mode, text } = cloudEventsOf(request);
    const pointerTo = pointerIn(mode);
    const inputs = this.intake.parserInputs(text);
    const reader = new CloudEventReader({ stream, inputs, pointerTo });
    if (mode === 'batched') await readList(text, reader);
    else readValue(text, reader);
    const { events } = reader;
    await this.intake.check(request, events, (index) => pointerTo(index, ''));
    const handling = handlingOf(request);
    if (handling !== 'lenient') requireAll(events, text);
    const keep = rejectedEventEncoder(inputs, asCloudEvent);
    const results = await this.intake.write(request, events, { atomic: false, keep });
    const answer = intakeAnswer(results);
    const returned = returnOf(request);
    setPreferenceApplied(reply, { handling, returned });
    // An answer without a body would hide that the log has refused events.
    const isRefused = results.some((result) => result instanceof EventRejection && result.isConditional);
    if (returned === 'representation' || isRefused) void reply.code(200).send(answer);
    else void reply.code(204).send();
  }
}
