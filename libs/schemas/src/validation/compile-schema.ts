import { limits } from '#event';
import type { InputProblem } from '#api';
import { schemaBounds } from '../bounds.js';
import { readDocument } from '../document/read-document.js';
import { SchemaCheckCompiler } from './schema-check-compiler.js';
import type { ValueCheck } from './checks/check.js';
import { readData } from './read-data.js';
import { ValidationContext } from './validation-context.js';

/**
 * A validator for the `data` of events, compiled from a JSON Schema. Compiling is slow: callers compile each version of
 * a schema once and keep the validator.
 */
export interface CompiledSchema {
  /**
   * Validates an event's `data`, as `readData` reads it. Returns undefined if the data fits the schema, otherwise at
   * most 20 errors with pointers that begin with `/data`. A validation never throws and always terminates: the number
   * of steps is limited in proportion to `characters`, the length of the JSON text of `data`. An event that needs more
   * steps does not fit.
   */
  validate(data: unknown, characters?: number): InputProblem[] | undefined;
  /**
   * Validates the JSON text of an event's `data`, like `validate`. Reading numbers that a double cannot represent also
   * takes steps.
   */
  validateText(text: string): InputProblem[] | undefined;
  /** True if the last validation was stopped because it exceeded its steps or its search work. */
  readonly exceededLimits: boolean;
  /** Number of validation steps that the last call of `validate` or `validateText` took. */
  readonly steps: number;
  /**
   * Search work of the patterns in the last validation, in instructions times characters: up to 250 ns each,
   * usually much less.
   */
  readonly searchWork: number;
}

/**
 * Limit on the search work of one event for patterns that RE2 runs, in instructions times characters. Usually
 * a character takes 10 ns. In the worst case, when RE2 cannot reuse its cached states, each instruction takes
 * up to 250 ns for each character: 60 to 150 ms in total.
 */
const searchesPerEvent = 250_000;
/** Maximum number of validation steps for finding further errors after the first one. */
const stepsForErrors = 20_000;

/**
 * Compiles a JSON Schema (2020-12, as parsed JSON) for the `data` of events.
 * @throws InvalidSchemaError with a pointer into the schema and a sentence for each error, at most 20
 */
export function compileSchema(schema: unknown): CompiledSchema {
  return new CompiledDocument(new SchemaCheckCompiler(readDocument(schema)).of(''));
}

class CompiledDocument implements CompiledSchema {
  exceededLimits = false;
  steps = 0;
  searchWork = 0;
  private readonly run = new ValidationContext();

  constructor(private readonly check: ValueCheck) {}

  validate(data: unknown, characters: number = limits.eventBytes): InputProblem[] | undefined {
    return this.judge(() => data, characters);
  }

  validateText(text: string): InputProblem[] | undefined {
    return this.judge((run) => readData(text, run), text.length);
  }

  private judge(read: (run: ValidationContext) => unknown, characters: number): InputProblem[] | undefined {
    const { stepsOfEvent, stepsOfCharacter, errors } = schemaBounds;
    const steps = stepsOfEvent + stepsOfCharacter * characters;
    const { run, check } = this;
    let data: unknown;
    const readAndCheck: ValueCheck = (_, run) => check((data = read(run)), run);
    const fits = run.check(readAndCheck, undefined, { steps, searches: searchesPerEvent, errors: 1 });
    this.exceededLimits = fits === undefined;
    this.steps = steps - Math.max(0, run.left);
    this.searchWork = searchesPerEvent - run.searches;
    if (fits === true) return undefined;
    if (fits === undefined) return [{ pointer: '/data', detail: this.excess(steps) }];
    const first = run.errors;
    // Errors that were found before the step limit are still valid.
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
