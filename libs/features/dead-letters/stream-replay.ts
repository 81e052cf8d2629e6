import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { allStreams } from '#api';
import {
  decodeRecord,
  decodeRejectedEvent,
  encodeRecord,
  TopicAndGroupNames,
  UnreadableRecordError,
  type EventRecord,
} from '#event';
import { formatTime } from '#json';
import { erasureName, type Actor, type Definitions } from '#registry';
import type { RecordPosition, Producer } from '#kafka';
import { EVENT_PRODUCER } from '#writing';
import type { StoredDeadLetter, Store } from '#store';
import { mergedErasure } from '#features/erasures';
import { Bulkhead } from '#gateway-kit';
import {
  erasedReason,
  erasureCovering,
  maxInFlight,
  replayId,
  type DeadLetterReplayer,
  type ReplayRequest,
} from './dead-letter-replayer.js';
import { RejectedEventRevalidator } from './rejected-event-revalidator.js';
import type { ReplayAnswer } from './dead-letter-answers.js';

/** A dead letter, and the event that it becomes in the topic of its stream. */
interface StreamReplay {
  deadLetter: StoredDeadLetter;
  event: EventRecord;
  topic: string;
}

interface WrittenReplay extends StreamReplay {
  position: RecordPosition;
}

/**
 * The source of the dead letters that a replay can turn into events. Dead letters of other sources come from valid
 * events, so they are not replayed into the stream.
 */
const replayableSource = 'materializer';
/** Limit of concurrent lookups of events by id. */
const maxLookups = 4;

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
    private readonly rejected: RejectedEventRevalidator,
    private readonly topics: TopicAndGroupNames,
    private readonly bulkhead: Bulkhead,
  ) {}

  async *replay(
    deadLetters: readonly StoredDeadLetter[],
    request: ReplayRequest,
    answer: ReplayAnswer,
  ): AsyncGenerator<string[]> {
    const replays: StreamReplay[] = [];
    for (const deadLetter of deadLetters) {
      const replay = await this.replayOf(deadLetter);
      if (typeof replay === 'string') answer.failed.push({ id: deadLetter.id, detail: replay });
      else replays.push(replay);
    }
    const stored = await this.stored(replays, request.client);
    const missing = replays.filter(({ event }) => !stored.has(event.event_id));
    answer.skipped += stored.size;
    if (request.dryRun) {
      answer.replayed += missing.length;
      return;
    }
    await this.write(missing, request, answer);
    yield replays.map(({ deadLetter }) => deadLetter.id);
  }

  /** Resolves with the event of a dead letter, or with a sentence that says why the dead letter cannot be replayed. */
  private async replayOf(deadLetter: StoredDeadLetter): Promise<StreamReplay | string> {
    const stream = this.definitions.stream(deadLetter.stream);
    if (stream?.state !== 'live') return `there is no stream ${deadLetter.stream} any more`;
    if (deadLetter.source !== replayableSource)
      return `dead letters of ${deadLetter.source} are not replayed into the stream`;
    const record = decodeRejectedEvent(deadLetter.event);
    const event = record ? await this.rejected.read(deadLetter.stream, record) : readEvent(deadLetter);
    if (typeof event === 'string') return event;
    if (erasureCovering(this.definitions, deadLetter, event.entity_id)) return erasedReason;
    const topic = this.topics.ofStream(stream.id);
    return { deadLetter, event: { ...event, ingested_at: Date.now() * 1000 }, topic };
  }

  /** Resolves with the ids of events that are already stored: an interrupted replay has written them. */
  private async stored(replays: readonly StreamReplay[], client: AbortSignal): Promise<Set<string>> {
    const found = new Set<string>();
    const work = replays.values();
    const worker = async () => {
      for (const { event } of work) {
        const query = { access: allStreams, eventId: event.event_id };
        if (await this.bulkhead.run(client, (signal) => this.store.reader.byId(query, signal)))
          found.add(event.event_id);
      }
    };
    await Promise.all(Array.from({ length: maxLookups }, worker));
    return found;
  }

  /**
   * Writes the events, except those of entities that are erased before or during the write. The answer counts the
   * events that were written, even when writing the rest fails.
   */
  private async write(
    replays: readonly StreamReplay[],
    { headers, actor }: ReplayRequest,
    answer: ReplayAnswer,
  ): Promise<void> {
    const written: WrittenReplay[] = [];
    try {
      for (let i = 0; i < replays.length; i += maxInFlight) {
        const some = replays
          .slice(i, i + maxInFlight)
          .filter((one) => !erasureCovering(this.definitions, one.deadLetter, one.event.entity_id));
        const positions = await this.producer.append(some.map((one) => recordOf(one, headers)));
        written.push(...some.map((one, n) => ({ ...one, position: positions[n]! })));
      }
    } finally {
      const answers = written.map(({ deadLetter: { id, stream }, event: { event_id }, position }) => {
        return { id, event_id, stream, ...position };
      });
      answer.events.push(...answers);
      answer.replayed += written.length;
      const undone = await this.undoErased(written, actor);
      answer.events = answer.events.filter(({ id }) => !undone.has(id));
      answer.replayed -= undone.size;
    }
    const kept = new Set(answer.events.map(({ id }) => id));
    for (const { deadLetter } of replays)
      if (!kept.has(deadLetter.id)) answer.failed.push({ id: deadLetter.id, detail: erasedReason });
  }

  /**
   * Undoes the replay of entities that were erased between the replay's check and its write: extends their erasures
   * over the new records, and deletes the events of these records from the store. An erasure reads the log's end once
   * more when the entity has dead letters, so either the replay sees the erasure or the erasure sees the new records.
   * @returns the ids of these dead letters
   */
  private async undoErased(written: readonly WrittenReplay[], actor: Actor): Promise<Set<string>> {
    const undone = new Set<string>();
    if (written.length > 0) await this.definitions.start();
    for (const { deadLetter, event, position } of written) {
      const { entity_id: entityId } = event;
      const known = erasureCovering(this.definitions, deadLetter, entityId);
      if (entityId === null || !known) continue;
      const before = { [String(position.partition)]: position.offset + 1 };
      const erased_at = formatTime(Date.now() * 1000);
      const { value } = await this.definitions.erasures.change(
        erasureName(known),
        (current) => current && mergedErasure(current, { ...current, before, erased_at }),
        actor,
      );
      const { stream, entity_hash: hash } = known;
      if (value)
        await this.store.eraser.eraseEntity({ stream, entityHash: hash, entityId, before: value.before });
      undone.add(deadLetter.id);
    }
    return undone;
  }
}

/**
 * Reads the record of a dead letter as an event. The log already has a record with the original `event_id`, and a second
 * one would be discarded as a duplicate, so the event gets another id. A record that was rejected at intake never was in
 * the log: it keeps its id, so a copy that the sender has sent again is a duplicate.
 */
function readEvent(deadLetter: StoredDeadLetter): EventRecord | string {
  try {
    return { ...decodeRecord(deadLetter.event), event_id: replayId(deadLetter) };
  } catch (error) {
    if (error instanceof UnreadableRecordError) return `it still cannot be read: ${error.message}`;
    throw error;
  }
}

function recordOf({ event, topic }: StreamReplay, headers: Record<string, string>) {
  return { topic, key: event.entity_id ?? event.event_id, value: encodeRecord(event), headers };
}
