import type { EpochMicros } from '#json';
import type { EntitySnapshot, EventOffsetAndTimestamps } from '../snapshots/entity-snapshot.js';
import {
  addToEntityState,
  compactEntityState,
  entityStateText,
  readEntityState,
  type EntityState,
} from './merge-patch/patchable-state.js';

/** The state of an entity after a certain version, with the version, and the first and last event that it includes. */
export interface FoldedEntityState {
  version: number;
  /** The first and the last event that the state includes. The last event is the event with the version `version`. */
  first: EventOffsetAndTimestamps;
  last: EventOffsetAndTimestamps;
  /** The greatest timestamp of all events that the state includes, in microseconds since 1970. */
  latest_timestamp: EpochMicros;
  /** The state of the entity, as the JSON text of an object. */
  state: string;
}

/**
 * If the state keeps more characters of event texts in memory than this number, and than `keptPerCharacter` for each
 * character of its own, the state is copied.
 */
const mostKept = 8 * 1024;
const keptPerCharacter = 4;
/** Maximum number of characters of the events that wait to be folded. */
const mostPending = 16 * 1024;

/** The state of an entity in memory after all events that were added, with the first and the last of these events. */
export class EntityStateAccumulator {
  /** Version of the last event that was added; 0 before the first event. */
  version = 0;
  first: EventOffsetAndTimestamps | undefined;
  last: EventOffsetAndTimestamps | undefined;
  private latest: EpochMicros;
  private state: EntityState;
  /** The `data` of the last events, which are not folded yet. */
  private pending: string[] = [];
  private pendingCharacters = 0;

  /** @param from The snapshot from which to continue; without it, the state is that before the first event. */
  constructor(from?: EntitySnapshot) {
    this.state = readEntityState(from?.state);
    this.version = from?.version ?? 0;
    this.first = from?.first;
    this.last = from?.last;
    this.latest = from?.latest_timestamp ?? -Infinity;
  }

  /** Approximate number of characters that the state keeps in memory. */
  get characters(): number {
    return this.state.alive + this.pendingCharacters;
  }

  /**
   * Adds the entity's next event, which has the version `version`. Returns false if the state would become too large;
   * the entity cannot be used afterwards. @param data The event's `data`, valid JSON text of an object.
   */
  add(data: string, version: number, key: EventOffsetAndTimestamps): boolean {
    return this.addLater(data, version, key) && this.foldPending();
  }

  /**
   * Adds an event as `add` does, but may fold it later, together with others: that is cheaper than to go through the
   * states of many entities for one event each, and an event of an entity without a due snapshot is never folded.
   */
  addLater(data: string, version: number, key: EventOffsetAndTimestamps): boolean {
    this.pending.push(data);
    this.pendingCharacters += data.length;
    this.first ??= key;
    this.last = key;
    this.version = version;
    if (key.timestamp > this.latest) this.latest = key.timestamp;
    return this.pendingCharacters <= mostPending || this.foldPending();
  }

  /** Returns what a snapshot of this state contains; undefined before the first event, or if the state is too large. */
  content(): FoldedEntityState | undefined {
    const { version, first, last, latest } = this;
    if (!first || !last || !this.foldPending()) return undefined;
    return { version, first, last, latest_timestamp: latest, state: entityStateText(this.state) };
  }

  private foldPending(): boolean {
    for (const data of this.pending) {
      const next = addToEntityState(this.state, data);
      if (!next) return false;
      this.state = next;
    }
    this.pending = [];
    this.pendingCharacters = 0;
    const { alive, characters } = this.state;
    if (alive > mostKept && alive > keptPerCharacter * characters)
      this.state = compactEntityState(this.state);
    return true;
  }
}
