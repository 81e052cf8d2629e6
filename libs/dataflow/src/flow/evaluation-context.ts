import type { ProjectionLookup, OperatorOutcome, TraceEntry } from './pipeline.js';
import { uncounted } from './step-counts.js';

/**
 * Limits on what `flat_map` may derive from one event: the number of events, and the characters of JSON in all their
 * data.
 */
export const derivedEventLimits = { events: 10_000, characters: 16 * 1024 * 1024 } as const;

/**
 * Returns the state of a projection's key as JSON text: null if there is none, undefined if it has not been fetched
 * yet.
 */
export type KnownStates = (lookup: ProjectionLookup) => string | null | undefined;

/** Error detail for an event whose derived events exceed `madeLimits`. */
export const tooManyDerivedEvents =
  `One event becomes at most ${derivedEventLimits.events} events ` +
  `with ${derivedEventLimits.characters} characters of data.`;

/** Collects the outcomes of one event, and the lookups it still needs, while a chain processes it. */
export class EvaluationContext {
  readonly outcomes: (OperatorOutcome | TraceEntry)[] = [];
  /** Lookups whose answers the chain needs before it can process the event further. */
  readonly missing: ProjectionLookup[] = [];
  #events = 0;
  #characters = 0;

  /** @param counts numbers of a `StepCounter`, to which the steps add */
  constructor(
    readonly known: KnownStates,
    readonly counts: Float64Array = uncounted,
  ) {}

  /**
   * Counts the events, and the characters of their data, that an operator derives from the event. Returns false if the
   * totals exceed `madeLimits`.
   */
  makes(events: number, characters: number): boolean {
    this.#events += events;
    this.#characters += characters;
    return this.#events <= derivedEventLimits.events && this.#characters <= derivedEventLimits.characters;
  }

  /**
   * Counts the characters of new data of an event that `flat_map` derived. Returns false if the total exceeds
   * `madeLimits`. Without a `flat_map` nothing is counted.
   */
  remakes(characters: number): boolean {
    return this.#events === 0 || this.makes(0, characters);
  }
}
