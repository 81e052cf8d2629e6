import {
  assertExpectedVersionMatchesCurrent,
  downcastRecordedMessages,
  ExpectedVersionConflictError,
  NO_CONCURRENCY_CHECK,
  tryPublishMessagesAfterCommit,
  upcastRecordedMessages,
  type AggregateStreamOptions,
  type AggregateStreamResult,
  type AppendToStreamOptions,
  type AppendToStreamResult,
  type BigIntStreamPosition,
  type DefaultEventStoreOptions,
  type Event,
  type EventStore,
  type ExpectedStreamVersion,
  type ReadStreamOptions,
  type ReadStreamResult,
} from '@event-driven-io/emmett';
import type { Tributary } from '@tributary/client';
import {
  identified,
  recorded,
  toTributary,
  written,
  type IdentifiedEvent,
  type TributaryReadEventMetadata,
} from './recorded.js';
import { hasCode, StreamReader } from './stream-reader.js';
import { untilVisible } from './until-visible.js';

interface TributaryEventStoreOptions extends DefaultEventStoreOptions<TributaryEventStore> {
  /** The stream of Tributary that contains all streams of emmett, each of them as an entity. */
  stream: string;
  /**
   * Milliseconds to wait for an expected version that another process has written and that reads do not show yet;
   * default 2000. If the version does not exist, the conflict is thrown after this time.
   */
  visibleMs?: number;
  /** The maximum number of attempts of an append while others append to the same stream; default 20. */
  attempts?: number;
}

const noVersion = 0n;

/** An event store of emmett. The events of one append are written together, if the stream has not changed. */
export class TributaryEventStore implements EventStore<TributaryReadEventMetadata> {
  private readonly reader: StreamReader;
  private readonly visibleMs: number;

  constructor(
    private readonly client: Tributary,
    private readonly options: TributaryEventStoreOptions,
  ) {
    this.reader = new StreamReader(client, options.stream);
    this.visibleMs = options.visibleMs ?? 2_000;
  }

  async readStream<EventType extends Event, EventPayloadType extends Event = EventType>(
    streamName: string,
    options: ReadStreamOptions<BigIntStreamPosition, EventType, EventPayloadType> = {},
  ): Promise<ReadStreamResult<EventType, TributaryReadEventMetadata>> {
    const { expectedStreamVersion: expected, schema } = options;
    const { visibleMs } = this;
    const stored = await untilVisible(() => this.reader.events(streamName), {
      expected,
      visibleMs,
      versionIn: (found) => BigInt(found.length),
    });
    const current = BigInt(stored.length);
    assertExpectedVersionMatchesCurrent(current, expected, noVersion);
    const events = recorded<EventPayloadType>(streamName, stored).slice(...rangeOf(options));
    const upcast = upcastRecordedMessages<EventType, EventPayloadType, TributaryReadEventMetadata>;
    return {
      currentStreamVersion: current,
      events: upcast(events, schema?.versioning),
      streamExists: current > noVersion,
    };
  }

  async aggregateStream<State, EventType extends Event, EventPayloadType extends Event = EventType>(
    streamName: string,
    options: AggregateStreamOptions<State, EventType, TributaryReadEventMetadata, EventPayloadType>,
  ): Promise<AggregateStreamResult<State>> {
    const { evolve, initialState, read } = options;
    const { events, streamExists } = await this.readStream<EventType, EventPayloadType>(streamName, read);
    return {
      currentStreamVersion: events.at(-1)?.metadata.streamPosition ?? noVersion,
      state: events.reduce((state, event) => evolve(state, event), initialState()),
      streamExists,
    };
  }

  async appendToStream<EventType extends Event, EventPayloadType extends Event = EventType>(
    streamName: string,
    newEvents: EventType[],
    options: AppendToStreamOptions<BigIntStreamPosition, EventType, EventPayloadType> = {},
  ): Promise<AppendToStreamResult> {
    const { expectedStreamVersion: expected, schema } = options;
    const downcast = downcastRecordedMessages<EventType, EventPayloadType>;
    const events = identified(downcast(newEvents, schema?.versioning));
    const before = await this.append(streamName, events, expected);
    // New events need no upcast.
    const own = newEvents.map((event, i) => ({ ...event, messageId: events[i]!.messageId }));
    const messages = written<EventType>(streamName, own, before);
    await tryPublishMessagesAfterCommit<TributaryEventStore>(messages, this.options.hooks);
    return {
      nextExpectedStreamVersion: before + BigInt(events.length),
      createdNewStream: before === noVersion && events.length > 0,
    };
  }

  async streamExists(streamName: string): Promise<boolean> {
    return (await this.reader.version(streamName)).version > 0;
  }

  /** Writes the events. Returns the version of the stream before them. */
  private async append(
    streamName: string,
    events: readonly IdentifiedEvent[],
    expected: ExpectedStreamVersion | undefined,
  ): Promise<bigint> {
    const { stream, attempts = 20 } = this.options;
    let current = noVersion;
    const after = (_state: undefined, version: number) => {
      current = BigInt(version);
      assertExpectedVersionMatchesCurrent(current, expected, noVersion);
      return events.map(toTributary);
    };
    try {
      // Tributary compares the version, so no other append comes between the read and this one.
      await this.client.decide<undefined>({ stream, entity_id: streamName }, after, {
        attempts,
        read: () => this.version(streamName, expected),
      });
    } catch (error) {
      if (!hasCode(error, 'version_conflict')) throw error;
      throw new ExpectedVersionConflictError(current, expected ?? NO_CONCURRENCY_CHECK);
    }
    return current;
  }

  private version(streamName: string, expected: ExpectedStreamVersion | undefined) {
    return untilVisible(() => this.reader.version(streamName), {
      ...{ expected, visibleMs: this.visibleMs },
      versionIn: ({ version }) => BigInt(version),
    });
  }
}

/** Returns how many events to skip, and the position of the last one, as emmett's store in memory does. */
function rangeOf({
  from = 0n,
  to,
  maxCount,
}: Pick<ReadStreamOptions, 'from' | 'to' | 'maxCount'>): [number, number] {
  return [Number(from), Number(to ?? (maxCount === undefined ? Infinity : from + maxCount))];
}
