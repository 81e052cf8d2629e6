import { limits } from '#event';
import { patternBounds, type InputError } from '#api';
import { schemaBounds } from '../bounds.js';
import { readDocument } from '../document/read-document.js';
import { Checks } from './checks.js';
import type { Check } from './checks/check.js';
import { readData } from './read-data.js';
import { Run } from './run.js';

/** A schema that is ready to check events. Make it once for each version and keep it. */
export interface CompiledSchema {
  /**
   * Whether an event's `data`, as `readData` reads it, fits: undefined, or what does not fit, at most 20 places, with
   * pointers that begin with `/data`. It never throws and always ends: checking takes at most a number of steps in
   * proportion to `characters`, the length of the JSON text of `data`; an event that takes more does not fit.
   */
  validate(data: unknown, characters?: number): InputError[] | undefined;
  /** As `validate`, of the JSON text of `data`. Reading numbers that no double stands for takes steps, too. */
  validateText(text: string): InputError[] | undefined;
  /** Whether the last check was given up because it took more steps than it may. */
  readonly gaveUp: boolean;
  /** Steps that the last check took. */
  readonly steps: number;
  /** How much of the patterns' work the last check was charged with: up to 250 ns each, mostly much less. */
  readonly searched: number;
}

/**
 * Instructions, times characters, for the patterns that RE2 runs. Mostly it takes 10 ns for a character; texts that never
 * let it come to know a pattern take up to 250 ns for each instruction, so that this is 60 to 150 ms at most.
 */
const searchesPerEvent = patternBounds.workOfSchema;
/** Steps for finding all errors after the first one. */
const stepsForErrors = 20_000;

/**
 * Compiles a JSON Schema (2020-12, parsed JSON) that describes the `data` of events.
 * @throws InvalidSchemaError with a pointer into the schema and a sentence for each of up to 20 faults
 */
export function compileSchema(schema: unknown): CompiledSchema {
  return new CompiledDocument(new Checks(readDocument(schema)).of(''));
}

class CompiledDocument implements CompiledSchema {
  gaveUp = false;
  steps = 0;
  searched = 0;
  private readonly run = new Run();

  constructor(private readonly check: Check) {}

  validate(data: unknown, characters: number = limits.eventBytes): InputError[] | undefined {
    return this.judge(() => data, characters);
  }

  validateText(text: string): InputError[] | undefined {
    return this.judge((run) => readData(text, run), text.length);
  }

  private judge(read: (run: Run) => unknown, characters: number): InputError[] | undefined {
    const { stepsOfEvent, stepsOfCharacter, errors } = schemaBounds;
    const steps = stepsOfEvent + stepsOfCharacter * characters;
    const { run, check } = this;
    let data: unknown;
    const readAndCheck: Check = (_, run) => check((data = read(run)), run);
    const fits = run.check(readAndCheck, undefined, { steps, searches: searchesPerEvent, errors: 1 });
    this.gaveUp = fits === undefined;
    this.steps = steps - Math.max(0, run.left);
    this.searched = searchesPerEvent - run.searches;
    if (fits === true) return undefined;
    if (fits === undefined) return [{ pointer: '/data', detail: this.excess(steps) }];
    const first = run.errors;
    // Errors that were found before the steps came to an end are good, too.
    run.check(check, data, { steps: stepsForErrors, searches: searchesPerEvent, errors });
    return run.errors.length > 0 ? run.errors : first;
  }

  private excess(steps: number): string {
    return this.run.searches < 0
      ? 'has texts that are too long for the patterns of its schema: shorten them, or the patterns'
      : `takes more than ${steps} steps to check against its schema: split it into smaller events, or ` +
          'use fewer of anyOf, oneOf, allOf, contains and patternProperties where the schema describes long lists and objects';
  }
}
