import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#event';
import { ProblemError } from '#api';
import {
  AcceptsBasicAuth,
  AcceptsAny,
  AlwaysAnswered,
  setPreferenceApplied,
  BodyLimit,
  InjectPrincipal,
  DescribeProblems,
  handlingOf,
  isJsonLines,
  mediaTypeOf,
  Principal,
  Query,
  RequireScope,
  takeBody,
  RepairsText,
  isRepaired,
} from '#http';
import {
  isConditional,
  EventWriteService,
  textOf,
  rejectedEventEncoder,
  StreamName,
  requireAuthorized,
  preferHeader,
  writeProblems,
} from '#writing';
import { intakeAnswer, intakeContent, requireAll } from './intake-answer.js';
import { EventIdDeriver } from './event-id-deriver.js';
import { FieldMapping } from './mapping.js';
import { RawWriteParameters } from './raw-write-parameters.js';
import { RawWriteEventReader } from './raw-write-event-reader.js';
import { rawBody, rawText } from './raw-texts.js';
import { readValues } from './read-values.js';

/**
 * Controller of the route that writes raw JSON values as events, for tools whose URL can be configured but not their
 * format.
 */
@ApiTags('events')
@Controller('api/v1/streams')
export class RawController {
  constructor(private readonly intake: EventWriteService) {}

  @ApiOperation({
    summary: 'Write JSON values of any form as events',
    description: rawText,
    requestBody: rawBody,
  })
  @ApiResponse({
    status: 200,
    description: 'All in-sync replicas of Kafka have acknowledged all values, including the rejected ones.',
    content: intakeContent,
  })
  @ApiResponse({
    status: 201,
    description: 'With `Prefer: handling=strict`: all values are acknowledged, and none was rejected.',
    content: intakeContent,
  })
  @DescribeProblems(...writeProblems)
  @ApiHeader(preferHeader)
  @AcceptsAny('application/json', 'application/x-ndjson')
  @RepairsText()
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @AcceptsBasicAuth()
  @Post(':stream/raw')
  @AlwaysAnswered()
  async raw(
    @StreamName() stream: string,
    @Query() query: RawWriteParameters,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireAuthorized(stream, access);
    const mapping = new FieldMapping(stream, { ...query });
    const body = takeBody(request);
    const inputs = this.intake.parserInputs(textOf(body), { isRepaired: isRepaired(request) });
    const ids = new EventIdDeriver({ mapping, body });
    const reader = new RawWriteEventReader({ mapping, inputs, idOf: (index) => ids.of(index) });
    await readValues({ text: inputs.text, isLines: isJsonLines(mediaTypeOf(request)) }, reader);
    if (mapping.isOfOne && reader.events.length > 1) throw oneIdForMany();
    await this.intake.check(request, reader.events, (index) => `/${index}`);
    const asked = handlingOf(request);
    const isLenient = asked !== 'strict';
    if (!isLenient) requireAll(reader.events, inputs.text);
    if (!isLenient && reader.events.length > 1 && reader.events.some(isConditional)) throw strictConditions();
    const keep = rejectedEventEncoder(inputs, { form: 'raw', mapping: mapping.text });
    const answer = intakeAnswer(await this.intake.write(request, reader.events, { atomic: false, keep }));
    setPreferenceApplied(reply, { handling: asked });
    void reply.code(isLenient ? 200 : 201).send(answer);
  }
}

function strictConditions(): ProblemError {
  const detail = 'cannot be used for several values with Prefer: handling=strict';
  const why =
    'A conditional value is decided after it is written, so one that is refused does not prevent the others.';
  return new ProblemError('invalid_request', why, { errors: [{ pointer: 'expected_version', detail }] });
}

function oneIdForMany(): ProblemError {
  const detail = 'must be a JSON pointer if the body has several values: they would all have the same id';
  return new ProblemError('invalid_request', 'The query parameters are not valid.', {
    errors: [{ pointer: 'event_id', detail }],
  });
}
