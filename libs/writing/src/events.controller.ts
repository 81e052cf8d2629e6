import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventInput } from '#api';
import { formatTime, limits } from '#event';
import {
  Accepts,
  accessOf,
  actorOf,
  AlwaysAnswered,
  BodyLimit,
  DescribeBody,
  DescribeProblems,
  mediaTypeOf,
  Query,
  recordHeaders,
  RequireScope,
  takeBody,
  takeEvents,
} from '#http';
import { compileSchema } from '#schemas';
import { batchAnswer } from './batch-answer.js';
import { BatchQuery } from './batch-input.js';
import { EventWriter, type Written } from './event-writer.js';
import { IngestClock } from './ingest-clock.js';
import type { Reception } from './read-event.js';
import { readBatch, readLines, readSingle, textOf, type ReadEvents } from './read-request.js';
import { Rejection } from './rejection.js';
import { Mismatches } from './schemas/mismatches.js';
import { SchemaCheck } from './schemas/schema-check.js';
import { SchemaIndex } from './schemas/schema-index.js';
import { StreamGate } from './stream-gate.js';
import { permitStreams } from './stream-permit.js';
import { UuidV7Generator } from './uuid-v7.js';
import { batchBody, batchContent, writtenContent } from './write-answers.js';
import { batchProblems, manyEvents, oneEvent, writeProblems } from './write-texts.js';
import { WRITE_PORTS, type WritePorts } from './write-ports.js';

const json = 'application/json; charset=utf-8';

/** The two hot routes. They answer with text that they put together themselves. */
@ApiTags('events')
@Controller('api/v1/events')
export class EventsController {
  private readonly writer: EventWriter;
  private readonly schemas: SchemaIndex;
  private readonly schemaCheck: SchemaCheck;
  private readonly clock = new IngestClock();
  private readonly ids = new UuidV7Generator();

  constructor(@Inject(WRITE_PORTS) ports: WritePorts) {
    const gate = new StreamGate(ports.definitions, ports.topics, ports.autoCreateStreams);
    this.writer = new EventWriter(ports.producer, gate);
    this.schemas = new SchemaIndex(ports.definitions);
    this.schemaCheck = new SchemaCheck({
      index: this.schemas,
      compile: compileSchema,
      mismatches: new Mismatches(ports.definitions),
    });
  }

  @ApiOperation({ summary: 'Write one event', description: oneEvent })
  @ApiResponse({
    status: 201,
    description: 'Kafka has acknowledged it from all in-sync replicas.',
    content: writtenContent,
  })
  @DescribeProblems(...writeProblems)
  @DescribeBody(EventInput)
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @Post()
  @AlwaysAnswered()
  async one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const event = readSingle(this.reception(request));
    const [result] = await this.write(request, [event], { atomic: false, pointerTo: () => '' });
    if (!result || result instanceof Rejection) throw result?.toProblem() ?? new Error('no result');
    const location = `/api/v1/events/${event.event_id}`;
    void reply.code(201).header('location', location).header('content-type', json).send(writtenJson(result));
  }

  @ApiOperation({
    summary: 'Write up to 10 000 events, as JSON or newline-delimited JSON',
    description: manyEvents,
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
  @DescribeProblems(...batchProblems)
  @Accepts('application/json', 'application/x-ndjson')
  @BodyLimit(limits.requestBytes)
  @RequireScope('events:write')
  @Post('batch')
  @AlwaysAnswered()
  async batch(
    @Query() { atomic }: BatchQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const read = mediaTypeOf(request) === 'application/x-ndjson' ? readLines : readBatch;
    const events = await read(this.reception(request));
    const results = await this.write(request, events, { atomic, pointerTo: (index) => `/events/${index}` });
    const answer = batchAnswer(results);
    void reply.code(answer.status).header('content-type', json).send(answer.body);
  }

  /** What every event goes through once it has been read; whatever is refused here is refused before anything is written. */
  private async write(
    request: FastifyRequest,
    events: ReadEvents,
    { atomic, pointerTo }: { atomic: boolean; pointerTo: (index: number) => string },
  ): Promise<(Written | Rejection)[]> {
    permitStreams(events, accessOf(request), pointerTo);
    await this.schemaCheck.check(events, pointerTo);
    takeEvents(request, toWrite(events, atomic));
    const [headers, client, actor] = [recordHeaders(request), request.socket, actorOf(request)];
    return this.writer.write(events, { headers, atomic, client, actor });
  }

  private reception(request: FastifyRequest): Reception {
    const text = textOf(takeBody(request));
    return { ingestedAt: this.clock.now(), ids: this.ids, schemas: this.schemas, text };
  }
}

function toWrite(events: ReadEvents, atomic: boolean): number {
  let refused = 0;
  for (const event of events) if (event instanceof Rejection) refused++;
  return atomic && refused > 0 ? 0 : events.length - refused;
}

function writtenJson({ event, position }: Written): string {
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"timestamp":"${formatTime(event.timestamp)}","partition":${position.partition},"offset":${position.offset}}`
  );
}
