import { TimeSlice } from '#async';
import { addToEntityState, entityStateText, readEntityState, type EntityState } from '#dataflow';
import type { EpochMicros } from '#event';
import {
  QueryTooExpensiveError,
  type EntitySnapshot,
  type EventIdentity,
  type EntityHistoryEvent,
} from '#store';
import { EntityStateTooLargeError } from './errors.js';

/** Time limit in milliseconds for computing the state of one entity. */
const maxFoldMs = 20_000;

/** The state of an entity after a certain version, with the version, and the first and last event that it includes. */
export interface EntityStateAtVersion {
  version: number;
  /** The first and the last event that the state includes. The last event is the event with the version `version`. */
  first: EventIdentity;
  last: EventIdentity;
  /** The greatest timestamp of all events that the state includes, in microseconds since 1970. */
  latest_timestamp: EpochMicros;
  /** The state of the entity, as the JSON text of an object. */
  state: string;
  /** The saved snapshot from which the state was computed; undefined if it was computed from the first event. */
  from?: EntitySnapshot;
}

/**
 * The running fold of an entity's events into its state. The fold processes a page of events in time slices, so that
 * the process can serve other requests in between.
 */
export class EntityFold {
  private state: EntityState;
  private first: EventIdentity | undefined;
  private last: (EventIdentity & { version: number }) | undefined;
  private latest: EpochMicros;

  private readonly deadline = Date.now() + maxFoldMs;

  /** @param turn A time slice that the folds of several entities share. */
  constructor(
    private readonly from: EntitySnapshot | undefined,
    private readonly turn = new TimeSlice(),
  ) {
    this.state = readEntityState(from?.state);
    this.first = from?.first;
    this.last = from && { ...from.last, version: from.version };
    this.latest = from?.latest_timestamp ?? -Infinity;
  }

  async add(page: readonly EntityHistoryEvent[], signal: AbortSignal | undefined): Promise<void> {
    for (const event of page) {
      if (this.turn.over(event.data.length)) {
        await this.turn.end();
        signal?.throwIfAborted();
        this.checkTime();
      }
      this.addOne(event);
    }
    this.checkTime();
  }

  result(): EntityStateAtVersion | undefined {
    const { first, last, latest, state, from } = this;
    if (!first || !last) return undefined;
    const { version, ...place } = last;
    const text = from?.version === version ? from.state : entityStateText(state);
    return { version, first, last: place, latest_timestamp: latest, state: text, ...(from && { from }) };
  }

  private checkTime(): void {
    if (Date.now() <= this.deadline) return;
    const detail = `took longer than ${maxFoldMs / 1000} seconds: create snapshots of the entity more often`;
    throw new QueryTooExpensiveError(`The state of the entity ${detail}`);
  }

  private addOne({ data, version, ...place }: EntityHistoryEvent): void {
    const next = addToEntityState(this.state, data);
    if (!next) throw new EntityStateTooLargeError(version);
    this.state = next;
    this.first ??= place;
    this.last = { ...place, version };
    this.latest = Math.max(this.latest, place.timestamp);
  }
}
