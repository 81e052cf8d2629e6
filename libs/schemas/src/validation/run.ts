import { pointerTo } from '#event';
import type { InputError } from '#api';
import { EvaluatedNames } from './evaluated-names.js';
import { Meter } from '../values/meter.js';
import { sentenceOf, shortened, type Params } from '../values/sentences.js';

/** Whether a value fits one thing that a schema asks for. What does not fit is noted in the run. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

export interface RunOptions {
  steps: number;
  searches: number;
  /** How many errors are noted; the check goes on for as long as there are fewer. */
  errors: number;
}

/** The check of one event: where it is, what it has found, and what it has taken. */
export class Run extends Meter {
  /** Names of the object that have been evaluated, where an `unevaluatedProperties` around asks for them. */
  evaluated: EvaluatedNames | undefined;
  private readonly path: (string | number)[] = [];
  private readonly found = new Map<string, InputError>();
  private mostErrors = 1;
  /** Errors do not matter here: another branch may fit. */
  private quiet = false;
  private naming = false;

  /**
   * Whether a value fits; undefined when that took too many steps, or nested too deeply for the stack. What does not
   * fit is in `errors` afterwards.
   */
  check(check: Check, value: unknown, { steps, searches, errors }: RunOptions): boolean | undefined {
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

  get errors(): InputError[] {
    return [...this.found.values()];
  }

  /** Whether to look for more errors after one. */
  get goesOn(): boolean {
    return !this.quiet && this.found.size < this.mostErrors && this.mostErrors > 1;
  }

  /** Notes what does not fit, about the value or one of its members. */
  refuse(keyword: string, params: Params = {}, member?: string): false {
    if (this.quiet || this.found.size >= this.mostErrors) return false;
    const parts = member === undefined ? this.path : [...this.path, member];
    const pointer = shortened(
      parts.reduce<string>((at, part) => pointerTo(at, part), '/data'),
      305,
    );
    const sentence = sentenceOf(keyword, params);
    const detail = this.naming ? `has a name that does not fit: it ${sentence}` : sentence;
    this.found.set(`${pointer} ${detail}`, { pointer, detail });
    return false;
  }

  /** Checks a member or an item. */
  part(check: Check, value: unknown, name: string | number): boolean {
    const { evaluated } = this;
    this.evaluated = undefined;
    this.path.push(name);
    const fits = check(value, this);
    this.path.pop();
    this.evaluated = evaluated;
    return fits;
  }

  /** Checks a member's name. */
  nameOf(check: Check, name: string): boolean {
    const { naming } = this;
    this.naming = true;
    const fits = this.part(check, name, name);
    this.naming = naming;
    return fits;
  }

  /** Checks the same value, without errors; what it evaluates counts when it fits. */
  branch(check: Check, value: unknown): boolean {
    const { quiet, evaluated } = this;
    const before = evaluated?.count ?? 0;
    this.quiet = true;
    const fits = check(value, this);
    if (!fits) evaluated?.backTo(before);
    this.quiet = quiet;
    return fits;
  }

  /** Checks an item or, without a name, the same value; without errors, and nothing that it evaluates counts. */
  fits(check: Check, value: unknown): boolean {
    const { quiet, evaluated } = this;
    this.quiet = true;
    this.evaluated = undefined;
    const fits = check(value, this);
    this.quiet = quiet;
    this.evaluated = evaluated;
    return fits;
  }

  /** Checks the same value, and gives the names that it evaluated. */
  evaluating(check: Check, value: unknown): EvaluatedNames | undefined {
    const { evaluated } = this;
    const own = (this.evaluated = new EvaluatedNames());
    const fits = check(value, this);
    this.evaluated = evaluated;
    return fits ? own : undefined;
  }
}
