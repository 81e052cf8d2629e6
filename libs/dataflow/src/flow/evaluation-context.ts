import type { Lookup, Outcome, Passed } from './flow.js';

/** Events that one event may become, by `flat_map`; and the characters of JSON of all their data. */
export const madeLimits = { events: 10_000, characters: 16 * 1024 * 1024 } as const;

/** Returns what is known of a key of a projection, or undefined if it has to be asked for first. */
export type Known = (lookup: Lookup) => string | null | undefined;

/** The error of an event that becomes too much: see `EvaluationContext.makes`. */
export const tooMuchMade =
  `One event becomes at most ${madeLimits.events} events ` +
  `with ${madeLimits.characters} characters of data.`;

/** Holds what has become of one event so far on its way through a chain. */
export class EvaluationContext {
  readonly outcomes: (Outcome | Passed)[] = [];
  /** Lookups that must be answered before the event can go on. */
  readonly missing: Lookup[] = [];
  #events = 0;
  #characters = 0;

  constructor(readonly known: Known) {}

  /** Counts events, and characters of their data, that an operator makes of one. Returns false if they are too many. */
  makes(events: number, characters: number): boolean {
    this.#events += events;
    this.#characters += characters;
    return this.#events <= madeLimits.events && this.#characters <= madeLimits.characters;
  }

  /** Counts new data of one of several events; that of a single event is not counted. */
  remakes(characters: number): boolean {
    return this.#events === 0 || this.makes(0, characters);
  }
}
