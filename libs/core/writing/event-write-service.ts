import { Inject, Injectable, Optional } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DEFINITIONS } from '#app';
import { permitsStream } from '#api';
import { TopicAndGroupNames } from '#event';
import { accessOf, actorOf, apiKeyOf, recordHeaders, takeEvents } from '#http';
import type { Producer } from '#kafka';
import type { Definitions } from '#registry';
import { VerdictTable } from '#verdicts';
import { ConditionalEventWaiter } from './conditional-event-waiter.js';
import { EventAppender, type WriteOptions } from './event-appender.js';
import { EventSchemas } from './event-schemas.js';
import { EVENT_PRODUCER } from './metered-producer.js';
import { IngestClock } from './ingest-clock.js';
import type { AppendedEvent, EventParserInputs } from './read-event.js';
import type { ParsedEvents } from './read-request.js';
import { EventRejection } from './rejection.js';
import { MissingStreamCreator } from './missing-stream-creator.js';
import { isMisspelling } from './misspelling.js';
import { authorizeStreams } from './authorize-streams.js';
import { UuidV7Generator } from './uuid-v7.js';
import { WriteSettings } from './write-settings.js';

/** Returns the JSON pointer with which errors name the event with this index. */
type PointerTo = (index: number) => string;

/**
 * The common path of all write routes: checks authorization and schemas of parsed events, and appends them to Kafka.
 */
@Injectable()
export class EventWriteService {
  private readonly writer: EventAppender;
  private readonly clock = new IngestClock();
  private readonly ids = new UuidV7Generator();

  constructor(
    @Inject(EVENT_PRODUCER) producer: Producer,
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    topics: TopicAndGroupNames,
    verdicts: VerdictTable,
    settings: WriteSettings,
    @Optional() private readonly schemas?: EventSchemas,
  ) {
    const streams = new MissingStreamCreator(definitions, topics, settings.AUTO_CREATE_STREAMS);
    this.writer = new EventAppender(producer, streams, new ConditionalEventWaiter(verdicts));
  }

  /**
   * Returns what the parsers of one request share: its ingest time, the id generator, the schemas, and the text of its
   * body.
   */
  parserInputs(text: string, { isRepaired = false } = {}): EventParserInputs {
    return { ingestedAt: this.clock.now(), ids: this.ids, schemas: this.schemas, text, isRepaired };
  }

  /**
   * Replaces events whose stream the key does not cover, or that do not match their schema, by rejections. It writes
   * nothing.
   */
  async check(request: FastifyRequest, events: ParsedEvents, pointerTo: PointerTo): Promise<void> {
    authorizeStreams(events, accessOf(request), pointerTo);
    await this.schemas?.check(events, pointerTo);
  }

  /**
   * Appends checked events. `warn` receives a warning for each stream that this request creates, if the key covers another
   * stream with a similar name.
   * @throws ProblemError 429 if they exceed the rate limit of the request's key
   */
  async write(
    request: FastifyRequest,
    events: ParsedEvents,
    { atomic, keep, warn }: Pick<WriteOptions, 'atomic' | 'keep' | 'warn'>,
  ): Promise<(AppendedEvent | EventRejection)[]> {
    takeEvents(request, keep ? events.length : toWrite(events, atomic));
    const [headers, client, actor] = [recordHeaders(request), request.socket, actorOf(request)];
    const similarTo = warn && this.similarNames(request);
    return this.writer.write(events, {
      ...{ headers, atomic, client, actor, keep },
      ...(similarTo && { similarTo, warn }),
    });
  }

  /** Returns a function that finds the stream that a misspelt name means; undefined if the key may read no streams. */
  private similarNames(request: FastifyRequest): ((stream: string) => string | undefined) | undefined {
    const key = apiKeyOf(request);
    if (key && !key.scopes.has('events:read')) return undefined;
    const access = accessOf(request);
    let names: string[] | undefined;
    return (stream) => {
      names ??= this.definitions
        .streams()
        .flatMap(({ stream: name, state }) => (state === 'live' ? [name] : []));
      return names.find((name) => isMisspelling(stream, name) && permitsStream(access, name));
    };
  }
}

function toWrite(events: ParsedEvents, atomic: boolean): number {
  let refused = 0;
  for (const event of events) if (event instanceof EventRejection) refused++;
  return atomic && refused > 0 ? 0 : events.length - refused;
}
