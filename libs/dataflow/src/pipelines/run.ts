import type { Lookup, Outcome, Passed } from './flow.js';
import { pipelineLimits } from './limits.js';

/** What is known of a key of a projection; undefined when it has to be asked for first. */
export type Known = (lookup: Lookup) => string | null | undefined;

/** Why an event cannot become as much as it would: see `Run.makes`. */
export const tooMuchMade =
  `One event becomes at most ${pipelineLimits.madeEvents} events ` +
  `with ${pipelineLimits.madeCharacters} characters of data.`;

/** One event on its way through a chain: what has become of it so far. */
export class Run {
  readonly outcomes: (Outcome | Passed)[] = [];
  /** What has to be asked for, before it can be run to its end. */
  readonly missing: Lookup[] = [];
  #events = 0;
  #characters = 0;

  constructor(readonly known: Known) {}

  /** Whether that many events, of so many characters of data, may be made of the one; then they are. */
  makes(events: number, characters: number): boolean {
    this.#events += events;
    this.#characters += characters;
    return this.#events <= pipelineLimits.madeEvents && this.#characters <= pipelineLimits.madeCharacters;
  }

  /** The same for new data of one of several; of a single event they are not counted. */
  remakes(characters: number): boolean {
    return this.#events === 0 || this.makes(0, characters);
  }
}
