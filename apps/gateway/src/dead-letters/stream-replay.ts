import { Inject, Injectable } from '@nestjs/common';
import { allStreams } from '#api';
import { TopicNames, type Micros } from '#event';
import type { Definitions } from '#registry';
import type { Position, Producer } from '#log';
import { RefusedEvents } from '#writing';
import type { FoundDeadLetter, Store } from '#store';
import { DEFINITIONS, PRODUCER, STORE } from '../adapters/adapters.js';
import { Bulkhead } from '../reads/bulkhead.js';
import { erased, erasureOf, takeBackErased } from './erased-meanwhile.js';
import type { ReplayAnswer, ReplayedAnswer } from './replay-answers.js';
import type { ReplayRequest, ReplayWay } from './replay-way.js';
import { replayedEvent, type ReplayedEvent } from './replayed-event.js';

interface Replayable {
  letter: FoundDeadLetter;
  event: ReplayedEvent;
  topic: string;
}

interface Written extends Replayable {
  position: Position;
}

/** Look-ups of events by id at the same time. */
const lookUps = 4;
/** Records that are on their way to Kafka at the same time: one may be a megabyte. */
const appended = 8;

/**
 * Writes what dead letters hold to their streams once more. It can be repeated, also after a crash between writing and
 * marking: the same letter always becomes the same event id, what is stored under it is not written again, and what is
 * written but not yet stored is told as a repetition by the materializer.
 */
@Injectable()
export class StreamReplay implements ReplayWay {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'reader' | 'eraser'>,
    @Inject(PRODUCER) private readonly producer: Pick<Producer, 'append'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'start' | 'stream' | 'erasures'>,
    private readonly refused: RefusedEvents,
    private readonly topics: TopicNames,
    private readonly bulkhead: Bulkhead,
  ) {}

  async *replay(
    letters: readonly FoundDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncGenerator<string[]> {
    const wanted: Replayable[] = [];
    for (const letter of letters) {
      const found = await this.replayable(letter);
      if (typeof found === 'string') answer.failed.push({ id: letter.id, detail: found });
      else wanted.push(found);
    }
    const stored = await this.stored(wanted, request.client);
    const missing = wanted.filter(({ event }) => !stored.has(event.eventId));
    answer.skipped += stored.size;
    if (request.dryRun) {
      answer.replayed += missing.length;
      return;
    }
    await this.append(missing, request, answer);
    yield wanted.map(({ letter }) => letter.id);
  }

  /** Resolves with what is to be written, or why there is nothing. */
  private async replayable(letter: FoundDeadLetter): Promise<Replayable | string> {
    const { definitions, topics, refused } = this;
    const stream = definitions.stream(letter.stream);
    if (stream?.state !== 'live') return `there is no stream ${letter.stream} any more`;
    const event = await replayedEvent(letter, { refused, now: now() });
    if (typeof event === 'string') return event;
    const isErased = event.entityId !== null && erasureOf(definitions, letter, event.entityId);
    return isErased ? erased : { letter, event, topic: topics.ofStream(stream.id) };
  }

  /** Ids of events that are in the store already: a replay that was cut off has written them. */
  private async stored(wanted: readonly Replayable[], client: AbortSignal): Promise<Set<string>> {
    const found = new Set<string>();
    const work = wanted.values();
    const worker = async () => {
      for (const { event } of work) {
        const query = { access: allStreams, eventId: event.eventId };
        if (await this.bulkhead.run(client, (signal) => this.store.reader.byId(query, signal)))
          found.add(event.eventId);
      }
    };
    await Promise.all(Array.from({ length: lookUps }, worker));
    return found;
  }

  /**
   * Writes them, but for those whose entity is erased before it comes to that, or while it does. What was written counts,
   * also when the rest cannot be.
   */
  private async append(
    wanted: readonly Replayable[],
    { headers, actor }: ReplayRequest,
    answer: ReplayAnswer,
  ): Promise<void> {
    const written: Written[] = [];
    try {
      await this.writeAll(wanted, headers, written);
    } finally {
      answer.events.push(...written.map(replayedAnswer));
      answer.replayed += written.length;
      const entities = written.map(({ event, ...one }) => ({ ...one, entityId: event.entityId }));
      const takenBack = await takeBackErased(
        { definitions: this.definitions, eraser: this.store.eraser },
        entities,
        { actor, now: now() },
      );
      answer.events = answer.events.filter(({ id }) => !takenBack.has(id));
      answer.replayed -= takenBack.size;
    }
    const kept = new Set(answer.events.map(({ id }) => id));
    const gone = wanted.filter(({ letter }) => !kept.has(letter.id));
    answer.failed.push(...gone.map(({ letter: { id } }) => ({ id, detail: erased })));
  }

  /** A few at a time; `written` has those that are acknowledged. */
  private async writeAll(
    wanted: readonly Replayable[],
    headers: Record<string, string>,
    written: Written[],
  ): Promise<void> {
    const { producer } = this;
    for (let i = 0; i < wanted.length; i += appended) {
      const some = wanted.slice(i, i + appended).filter((one) => !this.isErased(one));
      const positions = await producer.append(
        some.map(({ topic, event: { key, value } }) => ({ topic, key, value, headers })),
      );
      written.push(...some.map((one, n) => ({ ...one, position: positions[n]! })));
    }
  }

  private isErased({ letter, event: { entityId } }: Replayable): boolean {
    return entityId !== null && erasureOf(this.definitions, letter, entityId) !== undefined;
  }
}

function now(): Micros {
  return Date.now() * 1000;
}

function replayedAnswer({ letter: { id, stream }, event, position }: Written): ReplayedAnswer {
  return { id, event_id: event.eventId, stream, ...position };
}
