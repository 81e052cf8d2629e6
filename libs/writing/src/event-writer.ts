import { encodeRecord, limits } from '#event';
import { ProblemError } from '#api';
import type { Actor } from '#registry';
import { UnknownTopicError, type NewRecord, type Position, type Producer } from '#log';
import { metrics } from '#telemetry';
import type { AcceptedEvent } from './read-event.js';
import type { ReadEvents } from './read-request.js';
import { notWritten, Rejection } from './rejection.js';
import type { StreamGate } from './stream-gate.js';

export interface Written {
  event: AcceptedEvent;
  position: Position;
}

/** How the events of one request are written. */
export interface WriteOptions {
  headers: Record<string, string>;
  /** One rejection is enough for nothing to be written. */
  atomic: boolean;
  /** The connection of the request. */
  client: { readonly destroyed: boolean };
  /** Who creates the streams that do not exist yet. */
  actor: Actor;
}

/** Appends events to the log. What it resolves with has been acknowledged by all in-sync replicas. */
export class EventWriter {
  constructor(
    private readonly producer: Producer,
    private readonly gate: StreamGate,
  ) {}

  /**
   * Writes the events whose streams can be written to, in their order, and rejects the others. With `atomic`, an event
   * that was rejected before also keeps streams from being created.
   * @throws ProblemError or an error of the log; then some may have been written all the same
   */
  async write(events: ReadEvents, options: WriteOptions): Promise<(Written | Rejection)[]> {
    const hopeless = options.atomic && events.some((event) => event instanceof Rejection);
    const checked = hopeless ? events : await this.withStreams(events, options);
    let rejected = 0;
    for (const event of checked) if (event instanceof Rejection) rejected++;
    if (rejected > 0) count(checked);
    const none = rejected === checked.length || (options.atomic && rejected > 0);
    const positions = none ? [] : await this.appendAll(checked, options.headers);
    let next = 0;
    return checked.map((event) => {
      if (event instanceof Rejection) return event;
      if (none) return notWritten;
      return { event, position: positions[next++]! };
    });
  }

  private async withStreams(events: ReadEvents, options: WriteOptions): Promise<ReadEvents> {
    const missing = new Set<string>();
    let last = '';
    for (const event of events) {
      if (event instanceof Rejection || event.stream === last) continue;
      last = event.stream;
      if (this.gate.topicOf(last) === undefined) missing.add(last);
    }
    if (missing.size === 0) return events;
    const refused = await this.gate.ensure(missing, options);
    if (refused.size === 0) return events;
    return events.map((event) => (event instanceof Rejection ? event : (refused.get(event.stream) ?? event)));
  }

  /** So many at a time as a batch has: their records take several times the memory of the request. */
  private async appendAll(events: ReadEvents, headers: Record<string, string>): Promise<Position[]> {
    const positions: Position[] = [];
    for (let i = 0; i < events.length; i += limits.batchEvents) {
      const some = events.length > limits.batchEvents ? events.slice(i, i + limits.batchEvents) : events;
      for (const position of await this.append(this.recordsOf(some, headers))) positions.push(position);
    }
    return positions;
  }

  private recordsOf(events: ReadEvents, headers: Record<string, string>): NewRecord[] {
    const records: NewRecord[] = [];
    for (const event of events)
      if (!(event instanceof Rejection)) records.push(this.recordOf(event, headers));
    return records;
  }

  private recordOf(event: AcceptedEvent, headers: Record<string, string>): NewRecord {
    const topic = this.gate.topicOf(event.stream);
    if (topic === undefined) throw gone(event.stream);
    return { topic, key: event.entity_id ?? event.event_id, value: encodeRecord(event), headers };
  }

  private async append(records: NewRecord[]): Promise<Position[]> {
    try {
      return await this.producer.append(records);
    } catch (error) {
      if (error instanceof UnknownTopicError) throw gone(error.topic);
      throw error;
    }
  }
}

function gone(name: string): ProblemError {
  return new ProblemError('stream_not_found', `The stream of ${name} does not exist any more.`);
}

function count(events: ReadEvents): void {
  for (const event of events)
    if (event instanceof Rejection) metrics.eventsRejected.inc({ code: event.code });
}
