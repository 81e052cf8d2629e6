import {
  assertExpectedVersionMatchesCurrent,
  downcastRecordedMessages,
  ExpectedVersionConflictError,
  JSONParser,
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
import { CommitReader, hasCode } from './commit-reader.js';
import { committed, commitType, versionAfter, type CommitData, type CommittedEvent } from './commit-data.js';
import { recorded, type TributaryReadEventMetadata } from './recorded.js';
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

/** An event store of emmett. One append is one event of Tributary, which is written if the stream has not changed. */
export class TributaryEventStore implements EventStore<TributaryReadEventMetadata> {
  private readonly commits: CommitReader;
  private readonly visibleMs: number;

  constructor(
    private readonly client: Tributary,
    private readonly options: TributaryEventStoreOptions,
  ) {
    this.commits = new CommitReader(client, options.stream);
    this.visibleMs = options.visibleMs ?? 2_000;
  }

  async readStream<EventType extends Event, EventPayloadType extends Event = EventType>(
    streamName: string,
    options: ReadStreamOptions<BigIntStreamPosition, EventType, EventPayloadType> = {},
  ): Promise<ReadStreamResult<EventType, TributaryReadEventMetadata>> {
    const { expectedStreamVersion: expected, schema } = options;
    const { visibleMs } = this;
    const versionIn = (found: CommitData[]) => versionAfter(found.at(-1));
    const commits = await untilVisible(() => this.commits.all(streamName), {
      expected,
      visibleMs,
      versionIn,
    });
    const current = versionIn(commits);
    assertExpectedVersionMatchesCurrent(current, expected, noVersion);
    const stored = commits.flatMap(({ events }) => events);
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
    const events = committed(downcast(newEvents, schema?.versioning));
    const before = await this.commit(streamName, events, expected);
    const written = recorded<EventType>(streamName, committedAs(newEvents, events), before);
    await tryPublishMessagesAfterCommit<TributaryEventStore>(written, this.options.hooks);
    return {
      nextExpectedStreamVersion: before + BigInt(events.length),
      createdNewStream: before === noVersion && events.length > 0,
    };
  }

  async streamExists(streamName: string): Promise<boolean> {
    return (await this.commits.last(streamName)).version > 0;
  }

  /** Writes the events as one commit. Returns the version of the stream before it. */
  private async commit(
    streamName: string,
    events: CommittedEvent[],
    expected: ExpectedStreamVersion | undefined,
  ): Promise<bigint> {
    const { stream, attempts = 20 } = this.options;
    let current = noVersion;
    const commitAfter = (last: CommitData | undefined) => {
      current = versionAfter(last);
      assertExpectedVersionMatchesCurrent(current, expected, noVersion);
      if (events.length === 0) return undefined;
      const commit: CommitData = { stream_version: Number(current) + events.length, events };
      return [{ event_type: commitType, dataText: JSONParser.stringify(commit) }];
    };
    try {
      // Tributary compares the number of commits, so no other append comes between the read and this one.
      await this.client.decide({ stream, entity_id: streamName }, commitAfter, {
        attempts,
        read: () => this.lastCommit(streamName, expected),
      });
    } catch (error) {
      if (!hasCode(error, 'version_conflict')) throw error;
      throw new ExpectedVersionConflictError(current, expected ?? NO_CONCURRENCY_CHECK);
    }
    return current;
  }

  private lastCommit(streamName: string, expected: ExpectedStreamVersion | undefined) {
    return untilVisible(() => this.commits.last(streamName), {
      ...{ expected, visibleMs: this.visibleMs },
      versionIn: ({ state }) => versionAfter(state),
    });
  }
}

/** Returns new events, which need no upcast, with the ids that they have in the commit. */
function committedAs(newEvents: readonly Event[], events: readonly CommittedEvent[]): CommittedEvent[] {
  return committed(newEvents).map((event, i) => ({ ...event, message_id: events[i]!.message_id }));
}

/** Returns how many events to skip, and the position of the last one, as emmett's store in memory does. */
function rangeOf({
  from = 0n,
  to,
  maxCount,
}: Pick<ReadStreamOptions, 'from' | 'to' | 'maxCount'>): [number, number] {
  return [Number(from), Number(to ?? (maxCount === undefined ? Infinity : from + maxCount))];
}
