import { parseWithNumbers } from '#json';
import type { SchemaProblem } from '../document/invalid-schema-error.js';
import { schemaBounds } from '../bounds.js';
import { readDocument } from '../document/read-document.js';
import { SchemaCheckCompiler } from './schema-check-compiler.js';
import { type ValueCheck, ValidationContext } from './validation-context.js';
import { readNumber } from '../values/decimal.js';
import { unlimitedMeter, type StepMeter } from '../values/step-meter.js';

/** A compiled JSON Schema. Compiling is slow: callers compile each version of a schema once. */
export interface CompiledSchema {
  /**
   * Validates parsed JSON. Returns undefined if it fits the schema, otherwise at most 20 errors. A validation never throws
   * and always terminates: the number of steps is limited in proportion to `characters`, the length of the JSON text. A
   * value that needs more steps does not fit.
   */
  validate(data: unknown, characters?: number): SchemaProblem[] | undefined;
  /**
   * Validates JSON text, like `validate`, but with all digits of its numbers. The text is valid JSON. Reading numbers that a double cannot represent also
   * takes steps.
   */
  validateText(text: string): SchemaProblem[] | undefined;
  /** True if the last validation was stopped because it exceeded its steps or its search work. */
  readonly exceededLimits: boolean;
  /** Number of validation steps that the last call of `validate` or `validateText` took. */
  readonly steps: number;
  /** Search work of the patterns in the last validation, instructions × characters: up to 250 ns each. */
  readonly searchWork: number;
}

/**
 * Limit on the search work of one value for patterns that RE2 runs, in instructions times characters. Usually
 * a character takes 10 ns. In the worst case, when RE2 cannot reuse its cached states, each instruction takes
 * up to 250 ns for each character: 60 to 150 ms in total.
 */
const searchesPerValue = 250_000;
/** Length of the JSON text that `validate` assumes by default. */
const defaultCharacters = 1024 * 1024;
/** Maximum number of validation steps for finding further errors after the first one. */
const stepsForErrors = 20_000;

/** How the validator is used. */
export interface CompileOptions {
  /** What the pointers of errors begin with: `/data` if the value is the member `data`. By default, nothing. */
  pointer?: string;
  /** True to reject a schema that rejects every object, because only objects are validated. */
  objectsOnly?: boolean;
}

/**
 * Compiles a JSON Schema (2020-12, as parsed JSON).
 * @throws InvalidSchemaError with a pointer into the schema and a sentence for each error, at most 20
 */
export function compileSchema(schema: unknown, options: CompileOptions = {}): CompiledSchema {
  const { pointer = '', objectsOnly = false } = options;
  return new CompiledDocument(new SchemaCheckCompiler(readDocument(schema, { objectsOnly })).of(''), pointer);
}

class CompiledDocument implements CompiledSchema {
  exceededLimits = false;
  steps = 0;
  searchWork = 0;
  private readonly run: ValidationContext;

  constructor(
    private readonly check: ValueCheck,
    private readonly pointer: string,
  ) {
    this.run = new ValidationContext(pointer);
  }

  validate(data: unknown, characters: number = defaultCharacters): SchemaProblem[] | undefined {
    return this.judge(() => data, characters);
  }

  validateText(text: string): SchemaProblem[] | undefined {
    return this.judge((run) => readData(text, run), text.length);
  }

  private judge(read: (run: ValidationContext) => unknown, characters: number): SchemaProblem[] | undefined {
    const { stepsOfText, stepsOfCharacter, errors } = schemaBounds;
    const steps = stepsOfText + stepsOfCharacter * characters;
    const { run, check } = this;
    let data: unknown;
    const readAndCheck: ValueCheck = (_, run) => check((data = read(run)), run);
    const fits = run.check(readAndCheck, undefined, { steps, searches: searchesPerValue, errors: 1 });
    this.exceededLimits = fits === undefined;
    this.steps = steps - Math.max(0, run.left);
    this.searchWork = searchesPerValue - run.searches;
    if (fits === true) return undefined;
    if (fits === undefined) return [{ pointer: this.pointer, detail: this.excess(steps) }];
    const first = run.errors;
    // Errors that were found before the step limit are still valid.
    run.check(check, data, { steps: stepsForErrors, searches: searchesPerValue, errors });
    return run.errors.length > 0 ? run.errors : first;
  }

  private excess(steps: number): string {
    return this.run.searches < 0
      ? 'has texts that are too long for the patterns of its schema: shorten them, or the patterns'
      : `takes more than ${steps} steps to check against its schema: make it smaller, or ` +
          'use fewer of anyOf, oneOf, allOf, contains and patternProperties where the schema describes long lists and objects';
  }
}

/** Matches sixteen digits or a three-digit exponent. Without a match, doubles represent all numbers. */
const longNumber = /\d{16}|[\d.]{17}|[eE][+-]?\d{3}/;
/** Length of the shortest text of a number that a double may not represent, `1e100`. */
const shortest = 5;
/**
 * Number of validation steps charged for reading one number exactly. A text that consists of 17-digit numbers is
 * allowed about twice as many steps for each.
 */
const stepsOfLongNumber = 40;

/**
 * Parses a JSON text for `CompiledSchema.validate`. The result is that of `JSON.parse`, except that numbers which a
 * double would change become `ExactNumber`. The steps for these numbers are charged before they are parsed.
 * @throws StepsExceededError
 */
export function readData(text: string, meter: StepMeter = unlimitedMeter): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const takes = (number: string) => {
    if (number.length < shortest || !longNumber.test(number)) return false;
    meter.charge(stepsOfLongNumber);
    return true;
  };
  return parseWithNumbers(text, { takes, read: readNumber });
}
