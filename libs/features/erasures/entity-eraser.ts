import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG, STORE } from '#app';
import { entityHash, streamNameOf, TopicAndGroupNames, type StreamId } from '#event';
import { formatTime } from '#json';
import { ProblemError } from '#api';
import { erasureName, type Actor, type Definitions, type Erasure } from '#registry';
import type { TopicAdmin } from '#kafka';
import type { ErasableDataPresence, EventReader, EventRemover, AuthorizationScope } from '#store';
import { Bulkhead, ConsistencyTokenWaiter } from '#gateway-kit';
import { ErasureAnswer } from './erasure-answer.js';
import { mergedErasure } from './merged-erasure.js';
import '#features/entities';

interface ErasingStore {
  reader: Pick<EventReader, 'erasableDataOf' | 'query'>;
  eraser: Pick<EventRemover, 'eraseEntity' | 'countEntity'>;
}

/** The entity to erase, and the caller that erases it. */
interface ErasureRequest {
  stream: string;
  entityId: string;
  permitted: AuthorizationScope;
  actor: Actor;
  client: AbortSignal;
}

/**
 * Limit of how often one erasure is extended to later offsets, because events of the entity were written while it ran.
 */
const maxExtensions = 3;
/**
 * Limit of the entity's events after the erasure that are read to see whether their versions continue those of erased
 * events.
 */
const maxCheckedEvents = 1_000;

type LogEnds = Awaited<ReturnType<TopicAdmin['offsets']>>;

/**
 * Erases an entity from a stream: all of its events that the log has at the time of the call. First it waits until
 * these events are in the store. After this wait, the erasure writes a tombstone to the definitions, which excludes the
 * erased events from every rebuild, and deletes their rows. The erasure also covers events written meanwhile whose
 * versions continue those of the erased events.
 */
@Injectable()
export class EntityEraser {
  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'offsets'> },
    @Inject(STORE) private readonly store: ErasingStore,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'erasures' | 'audit'>,
    private readonly topics: TopicAndGroupNames,
    private readonly tokens: ConsistencyTokenWaiter,
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves when no event of the entity up to the call can be read any more. `pending` is true when the materializer
   * did not catch up in time: the tombstone is valid, and the rest is removed when it is materialized.
   * @throws ProblemError 404 `entity_not_found` when the stream has nothing of the entity and it never was erased, 503
   */
  async run(request: ErasureRequest): Promise<ErasureAnswer> {
    const { stream, entityId, actor } = request;
    const { definitions } = this;
    const { eraser } = this.store;
    const hash = entityHash(stream, entityId);
    const id = this.idOf(stream);
    const ends = await this.logEnds(id);
    let complete = await this.materialized(request, ends);
    const name = erasureName({ stream: id, entity_hash: hash });
    const known = definitions.erasures.get(name);
    if (complete && !known) await this.requireEntity(request);
    const upTo = (ends: LogEnds): Erasure => {
      const before = Object.fromEntries(ends.map(({ partition, end }) => [String(partition), end]));
      return { stream: id, entity_hash: hash, before, erased_at: formatTime(Date.now() * 1000) };
    };
    const desired = upTo(ends);
    // Once the tombstone exists, a materializer that has just stored events of the stream removes them too.
    const found = await eraser.countEntity({
      stream: id,
      entityHash: hash,
      entityId,
      before: desired.before,
    });
    let tombstone = await this.tombstone(desired, actor);
    // A replay that saw no tombstone may have written a dead letter again after the offsets that the tombstone covers.
    // A later replay sees the tombstone.
    if ((await this.traces(request)).deadLetters)
      tombstone = await this.tombstone(upTo(await this.logEnds(id)), actor);
    const remove = ({ before }: Erasure) =>
      eraser.eraseEntity({ stream: id, entityHash: hash, entityId, before });
    let erased = Math.max(found, await remove(tombstone));
    for (let n = 0; n < maxExtensions && (await this.goesOn(request, tombstone)); n++) {
      const later = await this.logEnds(id);
      tombstone = await this.tombstone(upTo(later), actor);
      complete = (await this.materialized(request, later)) && complete;
      erased += await remove(tombstone);
    }
    const outcome = { events_erased: erased, pending: !complete };
    const after = { stream: streamNameOf(id), entity_hash: hash, ...outcome };
    await definitions.audit({ event_type: 'entity.erased', kind: 'erasure', name, after }, actor);
    return { stream, entity_id: entityId, ...outcome, erased_at: tombstone.erased_at };
  }

  private logEnds(stream: StreamId): Promise<LogEnds> {
    return this.log.admin.offsets(this.topics.ofStream(stream));
  }

  /** Returns the id of a stream that is not being deleted. @throws ProblemError 404 `stream_not_found` */
  private idOf(stream: string): StreamId {
    const definition = this.definitions.stream(stream);
    if (definition?.state === 'live') return definition.id;
    throw new ProblemError('stream_not_found', `There is no stream ${stream}.`);
  }

  /**
   * Requires that the name still belongs to the same stream: an erasure does not apply to a later stream of the name.
   * @throws ProblemError 404 `stream_not_found`
   */
  private requireSame({ stream }: Erasure): void {
    const name = streamNameOf(stream);
    if (this.idOf(name) === stream) return;
    throw new ProblemError(
      'stream_not_found',
      `The stream ${name} was deleted and created again during this request.`,
    );
  }

  private async tombstone(desired: Erasure, actor: Actor): Promise<Erasure> {
    const next = (current: Erasure | undefined) => {
      this.requireSame(desired);
      return mergedErasure(current, desired);
    };
    const { value } = await this.definitions.erasures.change(erasureName(desired), next, actor);
    this.requireSame(desired);
    return value ?? desired;
  }

  /**
   * Whether versions of events after the erasure continue those of erased events. The materializer assigned such
   * versions before it read the erasure; a rebuild would number these events from 1.
   */
  private async goesOn(
    { stream, entityId, permitted, client }: ErasureRequest,
    { before }: Erasure,
  ): Promise<boolean> {
    const scope = { ...permitted, streams: [stream], entityIds: [entityId] };
    const query = { ...scope, order: 'asc', limit: maxCheckedEvents } as const;
    const { items } = await this.bulkhead.run(client, (signal) => this.store.reader.query(query, signal));
    const least = new Map<number, number>();
    for (const { partition, offset, version } of items)
      if (version !== null && offset >= (before[String(partition)] ?? 0))
        least.set(partition, Math.min(version, least.get(partition) ?? version));
    return [...least.values()].some((version) => version > 1);
  }

  /**
   * Waits until the materializer has committed past these end offsets of the stream. Resolves with false when that
   * takes too long.
   */
  private async materialized({ stream, client }: ErasureRequest, ends: LogEnds): Promise<boolean> {
    const last = ends
      .filter(({ beginning, end }) => end > beginning)
      .map(({ partition, end }) => ({ stream, partition, offset: end - 1 }));
    try {
      await this.tokens.reached(last, client);
      return true;
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'not_yet_materialized') return false;
      throw error;
    }
  }

  /**
   * Refuses an unknown entity: a misspelt id must not look like an erasure.
   * @throws ProblemError 404 `entity_not_found`
   */
  private async requireEntity(request: ErasureRequest): Promise<void> {
    const { events, deadLetters } = await this.traces(request);
    if (events || deadLetters) return;
    const detail = `The stream ${request.stream} has neither events nor dead letters of this entity.`;
    throw new ProblemError('entity_not_found', detail);
  }

  private traces({ stream, entityId, permitted, client }: ErasureRequest): Promise<ErasableDataPresence> {
    const query = { ...permitted, stream, entityId };
    return this.bulkhead.run(client, (signal) => this.store.reader.erasableDataOf(query, signal));
  }
}
