import type { ValidateFunction } from 'ajv';
import { limits, type InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import type { SchemaDocument } from '../document/document.js';
import { namesInherited } from '../document/inherited-names.js';
import { readDocument } from '../document/read-document.js';
import { isObject } from '../document/schema.js';
import { ajvFor } from './ajv.js';
import { executableOf } from './executable.js';
import { Meter } from './meter.js';
import { violations } from './violations.js';

/** A schema that is ready to check events. It holds compiled code: make it once for each version and keep it. */
export interface CompiledSchema {
  /**
   * Whether an event's `data`, as parsed JSON, fits: undefined, or what does not fit, at most 20 places, with pointers
   * that begin with `/data`. It never throws and always ends: checking takes at most a number of steps in proportion to
   * `characters`, the length of the JSON text that `data` was parsed from; an event that takes more does not fit.
   */
  validate(data: unknown, characters?: number): InputError[] | undefined;
  /** How much of the patterns' work the last check was charged with: up to 250 ns each, mostly much less. */
  readonly searched: number;
}

/**
 * Instructions, times characters, for the patterns that RE2 runs. Mostly it takes 10 ns for a character; texts that never
 * let it come to know a pattern take up to 250 ns for each instruction, so that this is 60 to 150 ms at most.
 */
const searchesPerEvent = 250_000;
/** Steps for finding all errors after the first one. */
const stepsForErrors = 20_000;

/**
 * Compiles a JSON Schema (2020-12, parsed JSON) that describes the `data` of events.
 * @throws InvalidSchemaError with a pointer into the schema and a sentence for each of up to 20 faults
 */
export function compileSchema(schema: unknown): CompiledSchema {
  return new CompiledDocument(readDocument(schema));
}

class CompiledDocument implements CompiledSchema {
  private readonly meter = new Meter();
  private readonly first: ValidateFunction;
  private all: ValidateFunction | undefined;

  constructor(private readonly document: SchemaDocument) {
    this.first = this.compile(false);
  }

  get searched(): number {
    return searchesPerEvent - this.meter.searches;
  }

  validate(data: unknown, characters: number = limits.eventBytes): InputError[] | undefined {
    const steps = schemaBounds.stepsOfEvent + schemaBounds.stepsOfCharacter * characters;
    this.meter.searches = searchesPerEvent;
    const fits = this.run(this.first, data, steps);
    if (fits === true) return undefined;
    if (fits === undefined) return [{ pointer: '/data', detail: this.excess(steps) }];
    const first = this.first.errors ?? [];
    this.all ??= this.compile(true);
    const errors = this.run(this.all, data, stepsForErrors) === false ? (this.all.errors ?? first) : first;
    return violations(errors, schemaBounds.errors).map(({ pointer, detail }) => ({
      pointer: `/data${pointer}`,
      detail,
    }));
  }

  /** Undefined when it took too many steps, or nested too deeply for the stack. */
  private run(check: ValidateFunction, data: unknown, steps: number): boolean | undefined {
    this.meter.left = steps;
    try {
      return check(data);
    } catch (error) {
      if (error === this.meter.exceeded || error instanceof RangeError) return undefined;
      throw error;
    }
  }

  private excess(steps: number): string {
    return this.meter.searches < 0
      ? 'has texts that are too long for the patterns of its schema: shorten them, or the patterns'
      : `takes more than ${steps} steps to check against its schema`;
  }

  private compile(allErrors: boolean): ValidateFunction {
    const { subschemas } = this.document;
    const schemas = [...subschemas.values()].filter(isObject);
    const ajv = ajvFor({
      meter: this.meter,
      allErrors,
      ownProperties: schemas.some(namesInherited),
      unevaluated: schemas.some((schema) => 'unevaluatedProperties' in schema),
    });
    return ajv.compile(executableOf(this.document));
  }
}
