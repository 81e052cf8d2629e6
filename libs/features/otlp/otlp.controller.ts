import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#event';
import {
  AcceptsBasicAuth,
  AcceptsBytes,
  AlwaysAnswered,
  BodyLimit,
  InjectPrincipal,
  mediaTypeOf,
  Principal,
  EncodeProblemsWith,
  Query,
  RequireScope,
  takeBytes,
} from '#http';
import { EventWriteService, asEvent, rejectedEventEncoder, requireAuthorized } from '#writing';
import { EventIdDeriver } from '#features/raw';
import { otlpEventLines } from './log-text.js';
import { jsonType, logRecords, protobufType, readLogs } from './logs-reader.js';
import { encodeAnswer, encodeStatus, partialSuccess, type PartialSuccess } from './otlp-answer.js';
import { OtlpWriteParameters } from './otlp-write-parameters.js';
import { DescribeStatuses, logsAnswer, logsBody, logsText } from './otlp-texts.js';

/** Controller of the route that receives OpenTelemetry logs over OTLP/HTTP, as protobuf or JSON. */
@ApiTags('events')
@Controller('v1')
export class OtlpController {
  constructor(private readonly intake: EventWriteService) {}

  @ApiOperation({
    summary: 'Write log records of OpenTelemetry',
    description: logsText,
    requestBody: logsBody,
  })
  @ApiResponse({
    status: 200,
    description: 'All in-sync replicas of Kafka have acknowledged all log records.',
    content: logsAnswer,
  })
  @DescribeStatuses()
  @AcceptsBytes(protobufType, jsonType)
  @EncodeProblemsWith(encodeStatus)
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @AcceptsBasicAuth()
  @Post('logs')
  @AlwaysAnswered()
  async logs(
    @Query() { stream }: OtlpWriteParameters,
    @InjectPrincipal() { access }: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    requireAuthorized(stream, access);
    const body = takeBytes(request);
    const ids = new EventIdDeriver({ mapping: { stream, text: { form: 'otlp' } }, body });
    const records = logRecords(mediaTypeOf(request), body);
    const text = await otlpEventLines(records, { stream, idOf: (index) => ids.of(index) });
    const partial = text.lines.length > 0 ? await this.write(request, text) : undefined;
    const { type, body: answer } = encodeAnswer(request, partial);
    void reply.code(200).header('content-type', type).send(answer);
  }

  private async write(
    request: FastifyRequest,
    text: Awaited<ReturnType<typeof otlpEventLines>>,
  ): Promise<PartialSuccess | undefined> {
    const inputs = this.intake.parserInputs(text.text);
    const events = await readLogs(text, inputs);
    await this.intake.check(request, events, (index) => `/events/${index}`);
    const keep = rejectedEventEncoder(inputs, asEvent);
    return partialSuccess(events, await this.intake.write(request, events, { atomic: false, keep }));
  }
}
