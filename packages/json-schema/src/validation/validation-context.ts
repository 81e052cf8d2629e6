import { jsonPointerTo } from '#json';
import type { SchemaProblem } from '../document/invalid-schema-error.js';
import { StepMeter } from '../values/step-meter.js';
import { errorSentence, shortened, type ErrorParams } from '../values/error-sentences.js';

/** Returns whether a value fits one requirement of a schema; records the error in the context. */
export type ValueCheck<T = unknown> = (value: T, run: ValidationContext) => boolean;

/** Limits of the validation of one value: steps, search work of regular expressions, and errors to record. */
interface ValidationLimits {
  steps: number;
  searches: number;
  /** Maximum number of errors to record; the check continues while there are fewer. */
  errors: number;
}

/**
 * State of the validation of one value: the location of the current value, the recorded errors, and the remaining
 * steps. One `ValidationContext` is reused for all values.
 */
export class ValidationContext extends StepMeter {
  /** Evaluated names of the current object; undefined if no enclosing `unevaluatedProperties` needs them. */
  evaluated: EvaluatedNames | undefined;
  private readonly path: (string | number)[] = [];
  private readonly found = new Map<string, SchemaProblem>();
  private mostErrors = 1;
  /** True while errors are not recorded, because another branch may fit. */
  private quiet = false;
  private naming = false;

  /** @param pointer what the pointers of errors begin with */
  constructor(private readonly pointer = '') {
    super();
  }

  /**
   * Validates a value: returns whether it passes the check; undefined if the check exceeded its limits, or the stack.
   * After the call, `errors` contains the recorded errors.
   */
  check(
    check: ValueCheck,
    value: unknown,
    { steps, searches, errors }: ValidationLimits,
  ): boolean | undefined {
    Object.assign(this, { left: steps, searches, mostErrors: errors, quiet: false, naming: false });
    this.evaluated = undefined;
    this.path.length = 0;
    this.found.clear();
    try {
      return check(value, this);
    } catch (error) {
      if (error === this.exceeded || error instanceof RangeError) return undefined;
      throw error;
    } finally {
      this.forget();
    }
  }

  get errors(): SchemaProblem[] {
    return [...this.found.values()];
  }

  /** Whether checks should continue after an error to find further errors. */
  get goesOn(): boolean {
    return !this.quiet && this.found.size < this.mostErrors && this.mostErrors > 1;
  }

  /** Records an error of the current value or of one of its members, and returns false. */
  refuse(keyword: string, params: ErrorParams = {}, member?: string): false {
    if (this.quiet || this.found.size >= this.mostErrors) return false;
    const parts = member === undefined ? this.path : [...this.path, member];
    const pointer = shortened(
      parts.reduce<string>((at, part) => jsonPointerTo(at, part), this.pointer),
      305,
    );
    const sentence = errorSentence(keyword, params);
    const detail = this.naming ? `has a name that does not fit: it ${sentence}` : sentence;
    this.found.set(`${pointer} ${detail}`, { pointer, detail });
    return false;
  }

  /** Checks a member or an item of the current value; errors have its location. */
  part(check: ValueCheck, value: unknown, name: string | number): boolean {
    const { evaluated } = this;
    this.evaluated = undefined;
    this.path.push(name);
    const fits = check(value, this);
    this.path.pop();
    this.evaluated = evaluated;
    return fits;
  }

  /** Checks the name of a member; the detail of an error says that the name does not fit. */
  nameOf(check: ValueCheck, name: string): boolean {
    const { naming } = this;
    this.naming = true;
    const fits = this.part(check, name, name);
    this.naming = naming;
    return fits;
  }

  /** Checks the same value without recording errors. The names that it evaluates count only if the value fits. */
  branch(check: ValueCheck, value: unknown): boolean {
    const { quiet, evaluated } = this;
    const before = evaluated?.count ?? 0;
    this.quiet = true;
    const fits = check(value, this);
    if (!fits) evaluated?.backTo(before);
    this.quiet = quiet;
    return fits;
  }

  /** Checks a value or an item without recording errors. The names that it evaluates do not count. */
  fits(check: ValueCheck, value: unknown): boolean {
    const { quiet, evaluated } = this;
    this.quiet = true;
    this.evaluated = undefined;
    const fits = check(value, this);
    this.quiet = quiet;
    this.evaluated = evaluated;
    return fits;
  }

  /** Checks the same value, and returns the names that it evaluated; undefined if it does not fit. */
  evaluating(check: ValueCheck, value: unknown): EvaluatedNames | undefined {
    const { evaluated } = this;
    const own = (this.evaluated = new EvaluatedNames());
    const fits = check(value, this);
    this.evaluated = evaluated;
    return fits ? own : undefined;
  }
}

/**
 * The names of an object's members that a schema has evaluated, for `unevaluatedProperties`. All branches of the schema
 * add to the same set, and a branch that does not fit removes its own names again. With one shared set, no names are
 * copied from a branch to its parent.
 */
export class EvaluatedNames {
  private readonly names = new Set<string>();
  private readonly inOrder: string[] = [];

  get count(): number {
    return this.inOrder.length;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  add(name: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.inOrder.push(name);
  }

  /** Removes all names except the `count` that were added first. */
  backTo(count: number): void {
    for (const name of this.inOrder.splice(count)) this.names.delete(name);
  }
}
