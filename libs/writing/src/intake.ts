import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accessOf, actorOf, recordHeaders, takeEvents } from '#http';
import { compileSchema } from '#schemas';
import { ConditionalEvents } from './conditional-events.js';
import type { AppendedEvent } from './appended-event.js';
import { EventWriter, type WriteOptions } from './event-writer.js';
import { IngestClock } from './ingest-clock.js';
import type { IntakeContext } from './read-event.js';
import type { ParsedEvents } from './read-request.js';
import { EventRejection } from './rejection.js';
import { SchemaMismatchCounter } from './schemas/mismatches.js';
import { EventSchemaValidator } from './schemas/schema-check.js';
import { SchemaIndex } from './schemas/schema-index.js';
import { StreamCreator } from './stream-creator.js';
import { authorizeStreams } from './authorize-streams.js';
import { UuidV7Generator } from './uuid-v7.js';
import { WRITE_DEPENDENCIES, type WriteDependencies } from './write-dependencies.js';

/** Returns the JSON pointer to an event of the request. */
type PointerTo = (index: number) => string;

/** Checks and writes the events of every write endpoint. */
@Injectable()
export class EventIntake {
  private readonly writer: EventWriter;
  private readonly schemas: SchemaIndex;
  private readonly schemaCheck: EventSchemaValidator;
  private readonly clock = new IngestClock();
  private readonly ids = new UuidV7Generator();

  constructor(@Inject(WRITE_DEPENDENCIES) ports: WriteDependencies) {
    const gate = new StreamCreator(ports.definitions, ports.topics, ports.autoCreateStreams);
    this.writer = new EventWriter(ports.producer, gate, new ConditionalEvents(ports.verdicts));
    this.schemas = new SchemaIndex(ports.definitions);
    this.schemaCheck = new EventSchemaValidator({
      index: this.schemas,
      compile: compileSchema,
      mismatches: new SchemaMismatchCounter(ports.definitions),
    });
  }

  /** Returns the context that the events of a request share. `text` is the body of the request. */
  reception(text: string): IntakeContext {
    return { ingestedAt: this.clock.now(), ids: this.ids, schemas: this.schemas, text };
  }

  /** Checks authorization for the streams, then schemas. It writes nothing. */
  async check(request: FastifyRequest, events: ParsedEvents, pointerTo: PointerTo): Promise<void> {
    authorizeStreams(events, accessOf(request), pointerTo);
    await this.schemaCheck.check(events, pointerTo);
  }

  /** Writes checked events, within the rate limit of the key. */
  async write(
    request: FastifyRequest,
    events: ParsedEvents,
    { atomic, keep }: Pick<WriteOptions, 'atomic' | 'keep'>,
  ): Promise<(AppendedEvent | EventRejection)[]> {
    takeEvents(request, keep ? events.length : toWrite(events, atomic));
    const [headers, client, actor] = [recordHeaders(request), request.socket, actorOf(request)];
    return this.writer.write(events, { headers, atomic, client, actor, keep });
  }
}

function toWrite(events: ParsedEvents, atomic: boolean): number {
  let refused = 0;
  for (const event of events) if (event instanceof EventRejection) refused++;
  return atomic && refused > 0 ? 0 : events.length - refused;
}
