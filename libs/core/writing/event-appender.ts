import { atomicGroupHeader, atomicGroupText, encodeRecord, expectedVersionHeader, limits } from '#event';
import { ProblemError } from '#api';
import type { Actor } from '#registry';
import {
  RecordTooLargeError,
  UnknownTopicError,
  type ProducerRecord,
  type RecordPosition,
  type Producer,
} from '#kafka';
import type { ConditionalEventWaiter } from './conditional-event-waiter.js';
import type { AcceptedEvent, AppendedEvent } from './read-event.js';
import type { ParsedEvents } from './read-request.js';
import type { RejectedEventEncoder } from './rejected-event-encoder.js';
import { notWritten, EventRejection, type RejectedEventRangeAndIds } from './rejection.js';
import type { MissingStreamCreator } from './missing-stream-creator.js';
import { eventsRejected } from './write-metrics.js';

/** Options for writing the events of one request. */
export interface WriteOptions {
  headers: Record<string, string>;
  /** Whether one rejection prevents all writes. */
  atomic: boolean;
  /** Connection of the client; streams are not created after its disconnect. */
  client: { readonly destroyed: boolean };
  /** Actor that creates missing streams, for the audit. */
  actor: Actor;
  /** Returns the existing stream that a misspelt name may mean. */
  similarTo?: (stream: string) => string | undefined;
  /** Receives what the client should know of a written request, such as a new stream with a similar name. */
  warn?: (warning: string) => void;
  /** Encodes rejected events so that they are kept in the log; without it, they are only reported. */
  keep?: RejectedEventEncoder | undefined;
}

type WriteResult = AppendedEvent | EventRejection;

/** The fields of an event, or of a rejected event, that a record has beside its value. */
type RecordSource = Pick<AcceptedEvent, 'stream' | 'entity_id' | 'event_id'> &
  Partial<Pick<AcceptedEvent, 'expected_version'>>;

/**
 * Appends events to the log. All events of a resolved result are acknowledged by all in-sync replicas, and its
 * conditional events are decided.
 */
export class EventAppender {
  constructor(
    private readonly producer: Producer,
    private readonly streams: MissingStreamCreator,
    private readonly conditional: ConditionalEventWaiter,
  ) {}

  /**
   * Writes the events whose streams accept writes, in their order, and rejects the others. With `keep`, rejected events
   * are also written to their streams, as records of rejected events. With `atomic`, an event that was rejected before
   * also prevents the creation of streams, and conditional events are an atomic group: see `expectConsecutiveVersions`.
   * @throws ProblemError or an error of the log; some events may have been written then, but not of an atomic group
   */
  async write(events: ParsedEvents, options: WriteOptions): Promise<WriteResult[]> {
    const hopeless = options.atomic && events.some((event) => event instanceof EventRejection);
    const checked = hopeless ? events : await this.withStreams(events, options);
    const rejected = checked.filter((event) => event instanceof EventRejection);
    count(rejected);
    if (options.atomic && rejected.length > 0)
      return checked.map((event) => (event instanceof EventRejection ? event : notWritten));
    const conditional = checked.filter(isConditional);
    if (conditional.length === 0) return this.append(checked, options);
    const end = await this.conditional.begin(conditional.length);
    try {
      // A stream may be deleted and created again meanwhile: the records are in the topics of now.
      const topics = conditional.map(({ stream }) => this.topicOf(stream));
      const results = await this.decided(await this.append(checked, options), topics);
      if (options.atomic) requireAccepted(results);
      return results;
    } finally {
      end();
    }
  }

  private async append(events: ParsedEvents, options: WriteOptions): Promise<WriteResult[]> {
    const positions = await this.appendAll(events, options);
    let next = 0;
    return events.map((event) => {
      if (event instanceof EventRejection)
        return options.keep && hasStream(event) ? event.keptAt(positions[next++]!) : event;
      return { event, position: positions[next++]! };
    });
  }

  /**
   * Replaces the results of conditional events by those of their verdicts.
   * @param topics The topic of each conditional event, in order.
   */
  private async decided(results: readonly WriteResult[], topics: readonly string[]): Promise<WriteResult[]> {
    const undecided = results.filter(
      (result): result is AppendedEvent => !(result instanceof EventRejection) && isConditional(result.event),
    );
    const decided = await this.conditional.decided(undecided, topics);
    count(decided.filter((result) => result instanceof EventRejection));
    let next = 0;
    return results.map((result) => (result === undecided[next] ? decided[next++]! : result));
  }

  private async withStreams(events: ParsedEvents, options: WriteOptions): Promise<ParsedEvents> {
    const missing = new Set<string>();
    let last: string | undefined;
    for (const event of events) {
      const stream = streamOf(event, options);
      if (stream === undefined || stream === last) continue;
      last = stream;
      if (this.streams.topicOf(stream) === undefined) missing.add(stream);
    }
    if (missing.size === 0) return events;
    const rejections = await this.streams.ensure(missing, options);
    if (rejections.size === 0) return events;
    return events.map((event) => {
      const rejection = rejections.get(streamOf(event, options) ?? '');
      if (!rejection) return event;
      return event instanceof EventRejection ? event.unknown() : rejection;
    });
  }

  /** Appends a limited number of records at a time, because records take several times the memory of the request. */
  private async appendAll(events: ParsedEvents, options: WriteOptions): Promise<RecordPosition[]> {
    const positions: RecordPosition[] = [];
    for (let i = 0; i < events.length; i += limits.batchEvents) {
      const some = events.length > limits.batchEvents ? events.slice(i, i + limits.batchEvents) : events;
      const records = this.recordsOf(some, options);
      if (records.length === 0) continue;
      for (const position of await this.appendRecords(records, options)) positions.push(position);
    }
    return positions;
  }

  private recordsOf(events: ParsedEvents, options: WriteOptions): ProducerRecord[] {
    const { keep, atomic } = options;
    const records: ProducerRecord[] = [];
    for (const event of events) {
      if (!(event instanceof EventRejection)) {
        const record = this.recordOf(event, encodeRecord(event), options);
        if (atomic && isConditional(event) && events.length > 1)
          record.headers = {
            [atomicGroupHeader]: atomicGroupText(records.length, events.length),
            ...record.headers,
          };
        records.push(record);
      } else if (keep && hasStream(event))
        records.push(this.recordOf(event.sent, keep(event, event.sent), options));
    }
    return records;
  }

  private recordOf(
    { stream, entity_id, event_id, expected_version = null }: RecordSource,
    value: string,
    { headers: shared }: WriteOptions,
  ): ProducerRecord {
    // The own header comes first: a member that is added to a spread object costs ten times as much.
    const headers =
      expected_version === null ? shared : { [expectedVersionHeader]: String(expected_version), ...shared };
    return { topic: this.topicOf(stream), key: entity_id ?? event_id, value, headers };
  }

  private topicOf(stream: string): string {
    const topic = this.streams.topicOf(stream);
    if (topic === undefined) throw gone(stream);
    return topic;
  }

  private async appendRecords(
    records: ProducerRecord[],
    { atomic }: Pick<WriteOptions, 'atomic'>,
  ): Promise<RecordPosition[]> {
    const isGroup = atomic && records[0]?.headers?.[atomicGroupHeader] !== undefined;
    try {
      return await (isGroup ? this.producer.append(records, { atomic }) : this.producer.append(records));
    } catch (error) {
      if (error instanceof UnknownTopicError) throw gone(error.topic);
      if (isGroup && error instanceof RecordTooLargeError) throw tooLargeGroup(error);
      throw error;
    }
  }
}

/** Returns whether an event is a conditional write. */
export function isConditional(event: AcceptedEvent | EventRejection): event is AcceptedEvent {
  return !(event instanceof EventRejection) && event.expected_version !== null;
}

/** @throws ProblemError if an atomic group was refused or is not decided yet */
function requireAccepted(results: readonly WriteResult[]): void {
  const rejections = results.filter((result) => result instanceof EventRejection);
  const first = rejections.find(({ code }) => code === 'undecided') ?? rejections[0];
  if (first) throw first.toProblem();
}

function tooLargeGroup(cause: RecordTooLargeError): ProblemError {
  const detail =
    'The events of an atomic batch with an expected_version have at most 1 MB together. Send fewer or smaller ones.';
  return new ProblemError('payload_too_large', detail, { cause });
}

function gone(name: string): ProblemError {
  return new ProblemError('stream_not_found', `The stream or topic ${name} does not exist any more.`);
}

function count(rejected: readonly EventRejection[]): void {
  for (const { code } of rejected) eventsRejected.inc({ code });
}

/** Returns whether a rejected event has a stream in which it can be kept. */
function hasStream(
  event: EventRejection,
): event is EventRejection & { sent: RejectedEventRangeAndIds & { stream: string } } {
  return event.sent?.stream !== undefined;
}

/** Returns the stream that an event needs; a rejected event needs one only if it is kept. */
function streamOf(event: ParsedEvents[number], { keep }: WriteOptions): string | undefined {
  if (!(event instanceof EventRejection)) return event.stream;
  return keep && event.sent?.stream;
}
