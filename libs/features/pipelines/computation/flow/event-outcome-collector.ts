import type { ProjectionAnswer, ProjectionLookup, OperatorOutcome, PassedOnEvent } from './pipeline.js';
import { uncounted } from './operator-event-counts.js';

/** Limits of what `flat_map` may derive from one event: events, and characters of JSON in all their data. */
export const derivedEventLimits = { events: 10_000, characters: 16 * 1024 * 1024 } as const;

/** Returns the answer to a lookup; undefined if it has not been fetched yet. */
export type FindProjectionState = (lookup: ProjectionLookup) => ProjectionAnswer | undefined;

/** Error detail for an event whose derived events exceed `derivedEventLimits`. */
export const tooManyDerivedEvents =
  `One event becomes at most ${derivedEventLimits.events} events ` +
  `with ${derivedEventLimits.characters} characters of data.`;

/** Collects the outcomes of one event, and the lookups it still needs, while a chain processes it. */
export class EventOutcomeCollector {
  readonly outcomes: (OperatorOutcome | PassedOnEvent)[] = [];
  readonly missing: ProjectionLookup[] = [];
  #events = 0;
  #characters = 0;

  /** @param counts `OperatorEventCounter.numbers`, to which the operators add their event counts */
  constructor(
    readonly known: FindProjectionState,
    readonly counts: Float64Array = uncounted,
  ) {}

  /** Counts derived events and the characters of their data. Returns false above `derivedEventLimits`. */
  makes(events: number, characters: number): boolean {
    this.#events += events;
    this.#characters += characters;
    return this.#events <= derivedEventLimits.events && this.#characters <= derivedEventLimits.characters;
  }

  /** Counts new data of an event that `flat_map` derived. Before the first `flat_map` nothing is counted. */
  remakes(characters: number): boolean {
    return this.#events === 0 || this.makes(0, characters);
  }
}
