import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventInput, formatTime, limits } from '#contracts';
import {
  Accepts,
  BodyLimit,
  RequireScope,
  DescribeBody,
  DescribeQuery,
  mediaTypeOf,
  parseQuery,
  recordHeaders,
  takeBody,
} from '#http';
import { batchAnswer } from './batch-answer.js';
import { BatchQuery, NoQuery } from './batch-input.js';
import { EventWriter, type Written } from './event-writer.js';
import { IngestClock } from './ingest-clock.js';
import type { Reception } from './read-event.js';
import { readBatch, readLines, readSingle, textOf } from './read-request.js';
import { Rejection } from './rejection.js';
import { StreamGate } from './stream-gate.js';
import { UuidV7Generator } from './uuid-v7.js';
import { batchBody, batchContent, writtenContent } from './write-answers.js';
import { WRITE_PORTS, type WritePorts } from './write-ports.js';

const json = 'application/json; charset=utf-8';

/** The two hot routes. They answer with text that they put together themselves. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventsController {
  private readonly writer: EventWriter;
  private readonly clock = new IngestClock();
  private readonly ids = new UuidV7Generator();

  constructor(@Inject(WRITE_PORTS) ports: WritePorts) {
    const gate = new StreamGate(ports.definitions, ports.topics, ports.autoCreateStreams);
    this.writer = new EventWriter(ports.producer, gate);
  }

  @ApiOperation({ summary: 'Write one event' })
  @ApiResponse({
    status: 201,
    description: 'Kafka has acknowledged it from all in-sync replicas.',
    content: writtenContent,
  })
  @DescribeBody(EventInput)
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @Post()
  async one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.url.includes('?')) parseQuery(NoQuery, request.query);
    const event = readSingle(this.reception(request));
    const options = { headers: recordHeaders(request), atomic: false, client: request.socket };
    const [result] = await this.writer.write([event], options);
    if (!result || result instanceof Rejection) throw result?.toProblem() ?? new Error('no result');
    const location = `/api/v1/events/${event.event_id}`;
    void reply.code(201).header('location', location).header('content-type', json).send(writtenJson(result));
  }

  @ApiOperation({
    summary: 'Write up to 10 000 events, as JSON or newline-delimited JSON',
    description: 'The first events of streams that do not exist create these, up to 100 in one request.',
    requestBody: batchBody,
  })
  @ApiResponse({
    status: 201,
    description: 'All were written: a position for each, in order.',
    content: batchContent,
  })
  @ApiResponse({
    status: 207,
    description: 'Some were written: a position or an error for each, in order.',
    content: batchContent,
  })
  @DescribeQuery(BatchQuery)
  @Accepts('application/json', 'application/x-ndjson')
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @Post('batch')
  async batch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const atomic = request.url.includes('?') && parseQuery(BatchQuery, request.query).atomic;
    const read = mediaTypeOf(request) === 'application/x-ndjson' ? readLines : readBatch;
    const events = read(this.reception(request));
    const options = { headers: recordHeaders(request), atomic, client: request.socket };
    const results = await this.writer.write(events, options);
    const answer = batchAnswer(results);
    void reply.code(answer.status).header('content-type', json).send(answer.body);
  }

  private reception(request: FastifyRequest): Reception {
    return { ingestedAt: this.clock.now(), ids: this.ids, text: textOf(takeBody(request)) };
  }
}

function writtenJson({ event, position }: Written): string {
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"timestamp":"${formatTime(event.timestamp)}","partition":${position.partition},"offset":${position.offset}}`
  );
}
