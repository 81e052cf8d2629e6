import { Inject, Injectable } from '@nestjs/common';
import { ProblemError } from '#api';
import { DEFINITIONS, LOG, LOGGER, PRODUCER } from '#app';
import { compileSource, eventValue } from '#dataflow';
import { TopicAndGroupNames, type StoredEvent, type StreamId } from '#event';
import { AcceptedEventsReader } from '#features/events';
import type { SubscriptionDefinition } from '#features/subscriptions/definition';
import { Erasures } from '#engine';
import { Bulkhead, LIVE_STORE } from '#gateway-kit';
import type { Log, Producer } from '#kafka';
import { liveSources, type Definitions } from '#registry';
import type { EventReader } from '#store';
import type { Logger } from '#telemetry';
import { AcceptedTail } from '../dispatch/accepted-tail.js';
import { EventLoader, MissingEvents } from '../dispatch/event-loader.js';
import { SourceBuffer, type SubscribedStream } from '../dispatch/source-buffer.js';
import { StoredProgress } from '../dispatch/stored-progress.js';
import { SubscriptionDispatcher, type HandedOutEvent } from '../dispatch/subscription-dispatcher.js';
import { SubscriptionLog } from '../log/subscription-log.js';
import type { DeliveryTally } from '../state/delivery-tally.js';
import type { EventRef } from '../state/subscription-command.js';
import { countDeliveries } from './subscription-metrics.js';

/** Limit of requests that wait for events in one process. */
const mostWaiting = 2_000;
/** Milliseconds after which what was read for a subscription is forgotten, when nobody asks for it. */
const unusedMs = 60_000;

/** The subscriptions that this process serves: their common log, and a dispatcher for each that is asked for events. */
@Injectable()
export class SubscriptionService {
  readonly log: SubscriptionLog;
  private readonly progress: StoredProgress;
  private readonly tail: AcceptedTail;
  private readonly dispatchers = new Map<string, SubscriptionDispatcher>();
  private readonly erasures: Erasures;
  private readonly missing = new MissingEvents();
  private readonly budget = { characters: 0 };
  private readonly reads = new Bulkhead({ concurrent: 4, queued: 2 * mostWaiting, waitMs: 30_000 });
  /** The streams of subscriptions, by run, since the definitions have changed last. */
  private streams = new Map<string, readonly SubscribedStream[]>();
  /** The names of subscriptions, by run, since the definitions have changed last. */
  private names: ReadonlyMap<string, string> | undefined;
  private waiting = 0;
  private isClosed = false;

  constructor(
    @Inject(LOG) log: Log,
    @Inject(PRODUCER) producer: Producer,
    @Inject(DEFINITIONS)
    private readonly definitions: Pick<Definitions, 'subscriptions' | 'stream' | 'erasures' | 'onChange'>,
    @Inject(LIVE_STORE) private readonly store: { reader: Pick<EventReader, 'inLogOrder'> },
    private readonly topics: TopicAndGroupNames,
    @Inject(LOGGER) logger: Logger,
    accepted: AcceptedEventsReader,
  ) {
    const runs = () => new Set(definitions.subscriptions.all().map(({ run }) => run.id));
    const counted = (run: string, tally: DeliveryTally) => {
      const name = this.nameOf(run);
      if (name !== undefined) countDeliveries(name, tally);
    };
    this.log = new SubscriptionLog({ log, producer, names: topics, runs, counted, logger });
    this.progress = new StoredProgress({ admin: log.admin, group: topics.materializerGroup, logger });
    this.tail = new AcceptedTail({ reader: accepted, progress: this.progress, logger });
    this.erasures = new Erasures(definitions);
    definitions.onChange(() => this.wakeChanged());
  }

  /**
   * Hands out events of a subscription; see `SubscriptionDispatcher.receive`.
   * @throws ProblemError 503 `overloaded`, `shutting_down`
   */
  async receive(
    { name, run }: SubscriptionDefinition,
    desired: { max: number; waitMs: number },
    client: AbortSignal,
  ): Promise<readonly HandedOutEvent[]> {
    if (this.isClosed || this.waiting >= mostWaiting) {
      const detail = 'Too many requests wait for events of subscriptions.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.waiting++;
    try {
      return await this.dispatcherOf(name, run.id).receive(desired, client);
    } finally {
      this.waiting--;
    }
  }

  /** Gives events back that could not be sent to a worker in time. */
  async giveBack({ name, run }: SubscriptionDefinition, events: readonly HandedOutEvent[]): Promise<void> {
    const handOuts = events.map(({ handOut }) => handOut);
    await this.dispatcherOf(name, run.id).giveBack(handOuts);
  }

  /** Returns the streams that a subscription reads and that exist. */
  streamsOf({ run }: SubscriptionDefinition): readonly SubscribedStream[] {
    const known = this.streams.get(run.id);
    if (known) return known;
    const streams = liveSources(run, this.definitions).map(({ stream, id, partitions }) => ({
      ...{ source: id, stream, partitions },
      topic: this.topics.ofStream(id),
      starts: run.sources[stream]?.starts,
    }));
    this.streams.set(run.id, streams);
    return streams;
  }

  /** Returns what loads the events of a subscription by their positions. */
  loaderOf(definition: SubscriptionDefinition): EventLoader {
    const nameOf = (source: string) =>
      this.streamsOf(definition).find((stream) => stream.source === source)?.stream;
    const isErased = ([source, partition, offset]: EventRef, entity: string | null) => {
      const stream = source as StreamId;
      if (entity === null || !this.erasures.concern(stream)) return false;
      return offset < this.erasures.endOf({ stream, partition }, entity);
    };
    const isStored = ([source, partition, offset]: EventRef) => {
      const topic = this.topics.ofStream(source as StreamId);
      return offset < (this.progress.offsets.get(topic)?.get(partition) ?? 0);
    };
    const inTail = (ref: EventRef) => this.tail.find(ref);
    const { reader } = this.store;
    const { missing, budget, reads } = this;
    return new EventLoader({ reader, nameOf, isErased, inTail, isStored, missing, budget, reads });
  }

  /** Answers all that wait, and lets nobody wait any more. */
  stopWaiting(): void {
    this.isClosed = true;
    for (const dispatcher of this.dispatchers.values()) dispatcher.close();
  }

  async close(): Promise<void> {
    this.stopWaiting();
    this.erasures.close();
    this.tail.close();
    await this.log.close();
  }

  private nameOf(run: string): string | undefined {
    this.names ??= new Map(this.definitions.subscriptions.all().map((one) => [one.run.id, one.name]));
    return this.names.get(run);
  }

  private dispatcherOf(name: string, run: string): SubscriptionDispatcher {
    for (const [key, one] of this.dispatchers)
      if (!one.isUsed && performance.now() - one.lastUsed > unusedMs) {
        one.close();
        this.dispatchers.delete(key);
      }
    const dispatcher = this.dispatchers.get(run) ?? this.newDispatcher(name, run);
    this.dispatchers.set(run, dispatcher);
    return dispatcher;
  }

  private newDispatcher(name: string, run: string): SubscriptionDispatcher {
    const definition = () => {
      const known = this.definitions.subscriptions.get(name);
      return known?.run.id === run ? known : undefined;
    };
    const first = definition()!;
    const { event_types: eventTypes, where } = first.spec.source;
    const selected = compileSource({ ...(where !== undefined && { where }) });
    const streams = () => {
      const known = definition();
      return known ? this.streamsOf(known) : [];
    };
    return new SubscriptionDispatcher({
      run,
      definition,
      log: this.log,
      progress: this.progress,
      reads: this.reads,
      tail: this.tail,
      topics: () => new Map(streams().map(({ topic, partitions }) => [topic, partitions])),
      sources: () => new Map(streams().map(({ source, topic }) => [source, topic])),
      loader: this.loaderOf(first),
      buffer: new SourceBuffer({
        reader: this.store.reader,
        tail: this.tail,
        streams,
        eventTypes,
        selects: (event) => where === undefined || selected(foldEventOf(event)),
        entityOf: (event) => (definition()?.spec.order === 'none' ? null : event.entity_id),
      }),
    });
  }

  /** Lets those that wait see that their subscription was paused, changed or deleted. */
  private wakeChanged(): void {
    this.streams = new Map();
    this.names = undefined;
    for (const dispatcher of this.dispatchers.values()) dispatcher.changed();
  }
}

function foldEventOf(event: StoredEvent): Parameters<ReturnType<typeof compileSource>>[0] {
  const { partition, offset, stream } = event;
  return { position: [0, partition, offset, stream], value: eventValue(event) };
}
