import { allStreams } from '#api';
import { TopicAndGroupNames, type StoredEvent } from '#event';
import { type ExpressionTree, compileCondition } from '#cel';
import type { StreamDefinition } from '#registry';
import { DedupeSettings } from '#dataflow';
import { MemoryLog } from '#kafka/memory';
import type { EventReader } from '#store';
import { MemoryStore } from '#store/memory';
import { eventValue, storedEventVariable } from '#dataflow';
import { expect, vi } from 'vitest';
import { createLogger, type Logger } from '#telemetry';
import type { LiveSelection } from './live-filter.js';
import { givenConnections, type GivenConnectionsOptions } from './given-connections.fixture.js';
import { AcceptedEventsFollower } from './accepted-events-follower.js';
import { AcceptedEventsReader } from './accepted-events-reader.js';
import type { LiveDelivery } from './live-events-follower.js';
import { LiveStreamOpener } from './live-stream-opener.js';
import { StoredEventsFollower, type StoredEventsFollowerTimings } from './stored-events-follower.js';
import { StreamClient, type ServerSentEventParser } from './stream-client.fixture.js';

const topics = new TopicAndGroupNames('spec.');

/** Opens live event streams in one simulated gateway process, and closes them all. */
interface LiveStreamsHandle {
  open: LiveStreamOpener['open'];
  close(): void;
}

/**
 * In-memory inputs of live event streams for specs: stream definitions, stored events, and the offsets that the
 * materializer has committed.
 */
export class LiveStreamsFixture {
  readonly store = new MemoryStore({ evaluate });
  /** The log that streams of accepted events read. */
  readonly log = new MemoryLog();
  /** Names of the topics in the log, and of the materializer's group. */
  readonly topics = topics;
  readonly definitions = new Map<string, StreamDefinition>();
  /** Committed offsets by stream, then partition. */
  readonly committed = new Map<string, Map<number, number>>();
  logFailure: Error | undefined;
  questions = 0;
  private readonly listeners: (() => void)[] = [];

  define(stream: string, { partitions = 2, n = 1 } = {}): void {
    const definition = { partitions, retention: 'unlimited', created_at: '', state: 'live' } as const;
    this.definitions.set(stream, { stream, id: `${stream}#${n}`, ...definition });
    this.changed();
  }

  remove(stream: string): void {
    this.definitions.delete(stream);
    this.changed();
  }

  commit(stream: string, partition: number, next: number): void {
    const known = this.committed.get(stream) ?? new Map<number, number>();
    this.committed.set(stream, known.set(partition, next));
    const topic = topics.ofStream(this.definitions.get(stream)?.id ?? `${stream}#0`);
    this.log.broker.group(topics.materializerGroup).commit({ topic, partition }, next);
  }

  /** Simulates a gateway process that has no open live streams yet. */
  gateway(
    options: GivenConnectionsOptions & { logger?: Logger } & Pick<
        Partial<StoredEventsFollowerTimings>,
        'newTurn'
      > & {
        reader?: EventReader;
      } = {},
  ): LiveStreamsHandle {
    const definitions = {
      stream: (name: string) => this.definitions.get(name),
      streams: () => [...this.definitions.values()],
      onChange: (listener: () => void) => {
        this.listeners.push(listener);
        return () => undefined;
      },
    };
    const { logger = createLogger({ name: 'spec', level: 'silent' }), newTurn } = options;
    const admin = {
      committedIn: async (_: string, asked: ReadonlyMap<string, unknown>) => {
        this.questions++;
        if (this.logFailure) throw this.logFailure;
        const known = [...this.committed].map(
          ([stream, next]) =>
            [topics.ofStream(this.definitions.get(stream)?.id ?? `${stream}#0`), next] as const,
        );
        return new Map(
          known.filter(([topic]) => asked.has(topic)).map(([topic, next]) => [topic, new Map(next)]),
        );
      },
    };
    const reader = options.reader ?? this.store.reader;
    const times = { pollMs: 1, retryMs: 1, ...(newTurn && { newTurn }) };
    const follower = new StoredEventsFollower({ admin }, { reader }, definitions, topics, logger, times);
    const connections = givenConnections(logger, options);
    const reading = { ...definitions, erasures: { all: () => [], get: () => undefined } as never };
    const accepted = new AcceptedEventsFollower(
      new AcceptedEventsReader(this.log, reading, topics, new DedupeSettings(), logger),
      { admin },
      definitions,
      topics,
      logger,
      { joinMs: 2_000, retryMs: 1 },
    );
    const live = new LiveStreamOpener(connections, follower, accepted, { reader }, definitions, logger);
    return { open: (...request) => live.open(...request), close: () => connections.close() };
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A client of a live stream of events, which compares what it has received. */
export class LiveClient extends StreamClient {
  constructor(
    newParser: () => ServerSentEventParser,
    private readonly question: Partial<LiveSelection> = {},
    public delivery: LiveDelivery = 'stored',
  ) {
    super(newParser);
  }

  get offsets(): string[] {
    return this.events.map(({ stream, partition, offset }) => `${stream}/${partition}/${offset}`);
  }

  get events(): StoredEvent[] {
    return this.sent<StoredEvent>('event');
  }

  /** Connects, and resumes after the last received message if there is one. Resolves when the connection has ended. */
  connect(live: LiveStreamsHandle, requireStillAdmitted: () => void = () => undefined): Promise<void> {
    const question = { access: allStreams, ...this.question };
    const caller = { access: question.access, keyId: null, requireStillAdmitted };
    return this.open((lastEventId, begin, client) =>
      live.open(
        { question, format: 'event', delivery: this.delivery, lastEventId, requestId: 'r', caller },
        begin,
        client,
      ),
    );
  }
}

function evaluate(where: ExpressionTree, event: StoredEvent): boolean {
  return compileCondition(where, storedEventVariable)(eventValue(event));
}

const patience = { interval: 1, timeout: 20_000 };

/** Resolves when the client has received the start position of its stream. */
export function begun(client: LiveClient): Promise<void> {
  return vi.waitFor(() => expect(client.parser.lastEventId).not.toBe(''), patience);
}

/** Resolves when the client has received this number of events. */
export function eventsReceived(client: LiveClient, count: number): Promise<void> {
  return vi.waitFor(() => expect(client.offsets.length).toBeGreaterThanOrEqual(count), patience);
}
