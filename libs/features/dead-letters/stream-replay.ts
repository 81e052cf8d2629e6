import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { allStreams } from '#api';
import { TopicAndGroupNames } from '#event';
import type { EpochMicros } from '#json';
import type { Definitions } from '#registry';
import type { RecordPosition, Producer } from '#kafka';
import { EVENT_PRODUCER } from '#writing';
import { RejectedEventRevalidator } from './rejected-event-revalidator.js';
import type { StoredDeadLetter, Store } from '#store';
import { Bulkhead } from '#gateway-kit';
import { erasedReason, erasureCovering, undoErasedReplays } from './undo-erased-replays.js';
import type { ReplayAnswer, ReplayWrittenEventAnswer } from './replay-answers.js';
import type { ReplayRequest, DeadLetterReplayer } from './dead-letter-replayer.js';
import { replayedEvent, type ReplayedEventRecord } from './replayed-event-record.js';

interface StreamReplayRecord {
  letter: StoredDeadLetter;
  event: ReplayedEventRecord;
  topic: string;
}

interface WrittenReplay extends StreamReplayRecord {
  position: RecordPosition;
}

/** Limit of concurrent lookups of events by id. */
const maxLookups = 4;
/** Limit of records in flight to Kafka. One record may have a megabyte. */
const maxInFlight = 8;

/**
 * Writes dead letters to their streams again. A replay can be repeated, even after a crash between writing and marking,
 * because a dead letter always yields the same event id. An event that is already stored is not written again. An event
 * that is written but not yet stored is discarded by the materializer as a duplicate.
 */
@Injectable()
export class StreamDeadLetterReplayer implements DeadLetterReplayer {
  constructor(
    @Inject(STORE) private readonly store: Pick<Store, 'reader' | 'eraser'>,
    @Inject(EVENT_PRODUCER) private readonly producer: Pick<Producer, 'append'>,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'start' | 'stream' | 'erasures'>,
    private readonly refused: RejectedEventRevalidator,
    private readonly topics: TopicAndGroupNames,
    private readonly bulkhead: Bulkhead,
  ) {}

  async *replay(
    letters: readonly StoredDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncGenerator<string[]> {
    const wanted: StreamReplayRecord[] = [];
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

  /**
   * Resolves with the Kafka record to write for a dead letter, or with a sentence that says why it cannot be replayed.
   */
  private async replayable(letter: StoredDeadLetter): Promise<StreamReplayRecord | string> {
    const { definitions, topics, refused } = this;
    const stream = definitions.stream(letter.stream);
    if (stream?.state !== 'live') return `there is no stream ${letter.stream} any more`;
    const event = await replayedEvent(letter, { refused, now: now() });
    if (typeof event === 'string') return event;
    const isErased = event.entityId !== null && erasureCovering(definitions, letter, event.entityId);
    return isErased ? erasedReason : { letter, event, topic: topics.ofStream(stream.id) };
  }

  /** Resolves with the ids of events that are already stored: an interrupted replay has written them. */
  private async stored(wanted: readonly StreamReplayRecord[], client: AbortSignal): Promise<Set<string>> {
    const found = new Set<string>();
    const work = wanted.values();
    const worker = async () => {
      for (const { event } of work) {
        const query = { access: allStreams, eventId: event.eventId };
        if (await this.bulkhead.run(client, (signal) => this.store.reader.byId(query, signal)))
          found.add(event.eventId);
      }
    };
    await Promise.all(Array.from({ length: maxLookups }, worker));
    return found;
  }

  /**
   * Writes the events, except those of entities that are erased before or during the write. The answer counts the
   * events that were written, even when writing the rest fails.
   */
  private async append(
    wanted: readonly StreamReplayRecord[],
    { headers, actor }: ReplayRequest,
    answer: ReplayAnswer,
  ): Promise<void> {
    const written: WrittenReplay[] = [];
    try {
      await this.writeAll(wanted, headers, written);
    } finally {
      answer.events.push(...written.map(replayedAnswer));
      answer.replayed += written.length;
      const entities = written.map(({ event, ...one }) => ({ ...one, entityId: event.entityId }));
      const takenBack = await undoErasedReplays(
        { definitions: this.definitions, eraser: this.store.eraser },
        entities,
        { actor, now: now() },
      );
      answer.events = answer.events.filter(({ id }) => !takenBack.has(id));
      answer.replayed -= takenBack.size;
    }
    const kept = new Set(answer.events.map(({ id }) => id));
    const gone = wanted.filter(({ letter }) => !kept.has(letter.id));
    answer.failed.push(...gone.map(({ letter: { id } }) => ({ id, detail: erasedReason })));
  }

  /** Writes a few records at a time, and adds the acknowledged ones to `written`. */
  private async writeAll(
    wanted: readonly StreamReplayRecord[],
    headers: Record<string, string>,
    written: WrittenReplay[],
  ): Promise<void> {
    const { producer } = this;
    for (let i = 0; i < wanted.length; i += maxInFlight) {
      const some = wanted.slice(i, i + maxInFlight).filter((one) => !this.isErased(one));
      const positions = await producer.append(
        some.map(({ topic, event: { key, value } }) => ({ topic, key, value, headers })),
      );
      written.push(...some.map((one, n) => ({ ...one, position: positions[n]! })));
    }
  }

  private isErased({ letter, event: { entityId } }: StreamReplayRecord): boolean {
    return entityId !== null && erasureCovering(this.definitions, letter, entityId) !== undefined;
  }
}

function now(): EpochMicros {
  return Date.now() * 1000;
}

function replayedAnswer({
  letter: { id, stream },
  event,
  position,
}: WrittenReplay): ReplayWrittenEventAnswer {
  return { id, event_id: event.eventId, stream, ...position };
}
