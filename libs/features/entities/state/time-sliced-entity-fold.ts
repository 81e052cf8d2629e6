import { TimeSlice } from '#async';
import { QueryTooExpensiveError } from '#store';
import type { EntitySnapshot, EntityHistoryEvent } from '../snapshots/entity-snapshot.js';
import { EntityStateAccumulator, type FoldedEntityState } from './entity-state-accumulator.js';

/**
 * Error: from `version` on, the state of an entity would exceed the maximum size. The states of lower versions can
 * still be computed.
 */
export class EntityStateTooLargeError extends Error {
  override readonly name = 'EntityStateTooLargeError';

  /** @param version The version of the first event that makes the state too large. */
  constructor(readonly version: number) {
    super(`The state is too large from version ${version} on`);
  }
}

/** Time limit in milliseconds for computing the state of one entity. */
const maxFoldMs = 20_000;

/** The state of an entity after a certain version, as `entityState` computes it. */
export interface EntityStateAtVersion extends FoldedEntityState {
  /** The saved snapshot from which the state was computed; undefined if it was computed from the first event. */
  from?: EntitySnapshot;
}

/**
 * The running fold of an entity's events into its state. The fold processes a page of events in time slices, so that
 * the process can serve other requests in between.
 */
export class TimeSlicedEntityFold {
  /** The state after all events that were added. */
  readonly folded: EntityStateAccumulator;
  private readonly deadline = Date.now() + maxFoldMs;

  /** @param turn A time slice that the folds of several entities share. */
  constructor(
    private readonly from: EntitySnapshot | undefined,
    private readonly turn = new TimeSlice(),
  ) {
    this.folded = new EntityStateAccumulator(from);
  }

  async add(page: readonly EntityHistoryEvent[], signal: AbortSignal | undefined): Promise<void> {
    for (const event of page) {
      if (this.turn.over(event.data.length)) {
        await this.turn.end();
        signal?.throwIfAborted();
        this.checkTime();
      }
      const { data, version, ...key } = event;
      if (!this.folded.add(data, version, key)) throw new EntityStateTooLargeError(version);
    }
    this.checkTime();
  }

  result(): EntityStateAtVersion | undefined {
    const { folded, from } = this;
    if (from && folded.version === from.version) {
      const { version, first, last, latest_timestamp, state } = from;
      return { version, first, last, latest_timestamp, state, from };
    }
    const content = folded.content();
    return content && { ...content, ...(from && { from }) };
  }

  private checkTime(): void {
    if (Date.now() <= this.deadline) return;
    const detail = `took longer than ${maxFoldMs / 1000} seconds: create snapshots of the entity more often`;
    throw new QueryTooExpensiveError(`The state of the entity ${detail}`);
  }
}
