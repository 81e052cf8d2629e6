import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accessOf, actorOf, recordHeaders, takeEvents } from '#http';
import { compileSchema } from '#schemas';
import { EventWriter, type WriteOptions, type Written } from './event-writer.js';
import { IngestClock } from './ingest-clock.js';
import type { Reception } from './read-event.js';
import type { ReadEvents } from './read-request.js';
import { Rejection } from './rejection.js';
import { Mismatches } from './schemas/mismatches.js';
import { SchemaCheck } from './schemas/schema-check.js';
import { SchemaIndex } from './schemas/schema-index.js';
import { StreamGate } from './stream-gate.js';
import { permitStreams } from './stream-permit.js';
import { UuidV7Generator } from './uuid-v7.js';
import { WRITE_PORTS, type WritePorts } from './write-ports.js';

/** Returns the JSON pointer to an event of the request. */
type PointerTo = (index: number) => string;

/** Checks and writes the events of every write endpoint. */
@Injectable()
export class Intake {
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

  /** Returns the context that the events of a request share. `text` is the body of the request. */
  reception(text: string): Reception {
    return { ingestedAt: this.clock.now(), ids: this.ids, schemas: this.schemas, text };
  }

  /** Checks authorization for the streams, then schemas. It writes nothing. */
  async check(request: FastifyRequest, events: ReadEvents, pointerTo: PointerTo): Promise<void> {
    permitStreams(events, accessOf(request), pointerTo);
    await this.schemaCheck.check(events, pointerTo);
  }

  /** Writes checked events, within the rate limit of the key. */
  async write(
    request: FastifyRequest,
    events: ReadEvents,
    { atomic, keep }: Pick<WriteOptions, 'atomic' | 'keep'>,
  ): Promise<(Written | Rejection)[]> {
    takeEvents(request, keep ? events.length : toWrite(events, atomic));
    const [headers, client, actor] = [recordHeaders(request), request.socket, actorOf(request)];
    return this.writer.write(events, { headers, atomic, client, actor, keep });
  }
}

function toWrite(events: ReadEvents, atomic: boolean): number {
  let refused = 0;
  for (const event of events) if (event instanceof Rejection) refused++;
  return atomic && refused > 0 ? 0 : events.length - refused;
}
