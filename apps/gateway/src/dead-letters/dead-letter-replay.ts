import { allStreams, type Micros, type TopicNames } from '#contracts';
import type { Actor, Definitions } from '#definitions';
import type { Position, Producer } from '#log';
import type { EventEraser, EventReader, EventWriter, FoundDeadLetter, Permitted } from '#store';
import type { ReadGate } from '../reads/read-gate.js';
import { chosenLetters, type LetterChoice, type LetterPage } from './chosen-letters.js';
import { erasureOf, takeBackErased } from './erased-meanwhile.js';
import { ReplayAnswer, type ReplayedAnswer } from './replay-answers.js';
import { replayedEvent, type ReplayedEvent } from './replayed-event.js';

export interface DeadLetterReplayParts {
  reader: Pick<EventReader, 'deadLetters' | 'byId'>;
  writer: Pick<EventWriter, 'markReplayed'>;
  producer: Pick<Producer, 'append'>;
  eraser: Pick<EventEraser, 'eraseEntity'>;
  definitions: Pick<Definitions, 'start' | 'stream' | 'erasures' | 'audit'>;
  topics: TopicNames;
  gate: ReadGate;
}

export interface ReplayRequest {
  permitted: Permitted;
  choice: LetterChoice;
  dryRun: boolean;
  /** Of the records that are written. */
  headers: Record<string, string>;
  actor: Actor;
  client: AbortSignal;
}

interface Replayable {
  letter: FoundDeadLetter;
  event: ReplayedEvent;
}

interface Written extends Replayable {
  position: Position;
}

const erased = 'its entity has been erased';
/** Dead letters that one request replays. */
export const mostReplayed = 1_000;
/** Look-ups of events by id at the same time. */
const lookUps = 4;
/** Records that are on their way to Kafka at the same time: one may be a megabyte. */
const appended = 8;

/**
 * Writes what dead letters hold to the log once more. It can be repeated, also after a crash between writing and marking:
 * the same letter always becomes the same event id, what is stored under it is not written again, and what is written
 * but not yet stored is told as a repetition by the materializer.
 */
export class DeadLetterReplay {
  constructor(
    private readonly parts: DeadLetterReplayParts,
    private readonly now: () => Micros = () => Date.now() * 1000,
  ) {}

  /**
   * What was replayed is in the audit, also when it ends early.
   * @throws InvalidCursorError, ProblemError 503, and errors of the log: then some may have been replayed
   */
  async run(request: ReplayRequest): Promise<ReplayAnswer> {
    const { reader } = this.parts;
    const { permitted, choice, client: signal, dryRun } = request;
    const answer: ReplayAnswer = Object.assign(new ReplayAnswer(), {
      ...{ dry_run: dryRun, matched: 0, replayed: 0, skipped: 0, failed: [], events: [] },
      ...{ has_more: false, next_cursor: null },
    });
    try {
      for await (const page of chosenLetters({ reader, permitted, choice, limit: mostReplayed, signal })) {
        await this.replayPage(page, request, answer);
        answer.next_cursor = page.nextCursor ?? null;
        answer.has_more = page.nextCursor !== undefined;
      }
    } finally {
      if (answer.events.length > 0) await this.audit(request, answer);
    }
    return answer;
  }

  private audit(
    { choice, actor }: ReplayRequest,
    { matched, events, skipped, failed }: ReplayAnswer,
  ): Promise<void> {
    const name = 'source' in choice ? choice.source : `${choice.ids.length} ids`;
    const after = { matched, replayed: events.length, skipped, failed: failed.length };
    const entry = { event_type: 'dead_letters.replayed', kind: 'dead_letters', name, after };
    return this.parts.definitions.audit(entry, actor);
  }

  private async replayPage(page: LetterPage, request: ReplayRequest, answer: ReplayAnswer): Promise<void> {
    answer.matched += page.letters.length;
    answer.failed.push(...page.missing.map((id) => ({ id, detail: 'there is no dead letter with this id' })));
    const fresh = page.letters.filter(({ replayed_at }) => replayed_at === null);
    const wanted: Replayable[] = [];
    for (const letter of fresh) {
      const event = this.eventOf(letter);
      if (typeof event === 'string') answer.failed.push({ id: letter.id, detail: event });
      else wanted.push({ letter, event });
    }
    const stored = await this.stored(wanted, request.client);
    const missing = wanted.filter(({ event }) => !stored.has(event.eventId));
    answer.skipped += page.letters.length - fresh.length + stored.size;
    if (request.dryRun) {
      answer.replayed += missing.length;
      return;
    }
    await this.append(missing, request, answer);
    const done = wanted.map(({ letter }) => letter.id);
    if (done.length > 0) await this.parts.writer.markReplayed(done, this.now());
  }

  /** The event, or why there is none. */
  private eventOf(letter: FoundDeadLetter): ReplayedEvent | string {
    const { stream } = letter;
    const { definitions } = this.parts;
    if (definitions.stream(stream)?.state !== 'live') return `there is no stream ${stream} any more`;
    const event = replayedEvent(letter, this.now());
    if (typeof event === 'string' || event.entityId === null) return event;
    return erasureOf(definitions, letter, event.entityId) ? erased : event;
  }

  /** Ids of events that are in the store already: a replay that was cut off has written them. */
  private async stored(wanted: readonly Replayable[], client: AbortSignal): Promise<Set<string>> {
    const { gate, reader } = this.parts;
    const found = new Set<string>();
    const work = wanted.values();
    const worker = async () => {
      for (const { event } of work) {
        const query = { access: allStreams, eventId: event.eventId };
        if (await gate.run(client, (signal) => reader.byId(query, signal))) found.add(event.eventId);
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
      const entities = written.map(({ event, ...one }) => ({ ...one, entityId: event.entityId }));
      const takenBack = await takeBackErased(this.parts, entities, { actor, now: this.now() });
      answer.events = answer.events.filter(({ id }) => !takenBack.has(id));
    }
    const kept = new Set(answer.events.map(({ id }) => id));
    for (const { letter } of wanted) {
      if (kept.has(letter.id)) answer.replayed++;
      else answer.failed.push({ id: letter.id, detail: erased });
    }
  }

  /** A few at a time; `written` has those that are acknowledged. */
  private async writeAll(
    wanted: readonly Replayable[],
    headers: Record<string, string>,
    written: Written[],
  ): Promise<void> {
    const { producer, topics, definitions } = this.parts;
    for (let i = 0; i < wanted.length; i += appended) {
      const some = wanted.slice(i, i + appended).filter((one) => !this.isErased(one));
      const positions = await producer.append(
        some.map(({ letter, event: { key, value } }) => {
          const partitions = definitions.stream(letter.stream)?.partitions;
          return { topic: topics.ofStream(letter.stream), key, value, headers, partitions };
        }),
      );
      written.push(...some.map((one, n) => ({ ...one, position: positions[n]! })));
    }
  }

  private isErased({ letter, event: { entityId } }: Replayable): boolean {
    return entityId !== null && erasureOf(this.parts.definitions, letter, entityId) !== undefined;
  }
}

function replayedAnswer({ letter: { id, stream }, event, position }: Written): ReplayedAnswer {
  return { id, event_id: event.eventId, stream, ...position };
}
