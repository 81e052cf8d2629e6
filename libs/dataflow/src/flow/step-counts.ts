import { pipelineLimits } from './limits.js';

/** What an operator did with events. An event that an operator passes on, or writes out of the pipeline, is `out`. */
export const stepResults = ['in', 'out', 'dropped', 'late', 'failed'] as const;
export type StepResult = (typeof stepResults)[number];

/** Numbers of events in the order of `stepResults`. */
export type StepNumbers = readonly number[];

/** The numbers of several operators, by `OperatorStep.key`. */
export type StepCounts = Readonly<Record<string, StepNumbers>>;

/** An operator of a compiled definition. */
export interface OperatorStep {
  /** JSON pointer to the operator, such as `/operators/2`. */
  readonly path: string;
  /** The operator's name, such as `map`. */
  readonly operator: string;
  /**
   * Names the counts of the operator in a checkpoint: the JSON pointer to the operator's value, such as
   * `/operators/2/map`. The key of a window, a reduce or a dedupe has the id of the stage instead, so its counts begin
   * again when its state does.
   */
  readonly key: string;
  /** True if the step before this one in the definition passes events on to it. */
  readonly follows: boolean;
  /** True if the operator writes events out of the pipeline. It also passes each event on. */
  readonly isOutput: boolean;
  /**
   * True if `out` is counted. Otherwise each event leaves the operator once, unless it is dropped, late or failed, and
   * `out` is computed.
   */
  readonly countsOut: boolean;
}

/**
 * What is counted at a step. The rest is computed, so that an event costs nothing at most operators: `arrived` are the
 * events that no earlier step has passed on, `alone` those that an output does not pass on (see `CompiledPipeline.entry`).
 */
const counted = ['arrived', 'alone', 'out', 'dropped', 'late', 'failed'] as const;
type Counted = (typeof counted)[number];
const width = counted.length;
const offsets = Object.fromEntries(counted.map((name, i) => [name, i])) as Readonly<Record<Counted, number>>;

/** Returns the index in `StepCounter.numbers` of a number of a step. */
export function stepSlot(step: number, of: Counted): number {
  return step * width + offsets[of];
}

/** Receives counts that nobody reads. */
export const uncounted: Float64Array = new Float64Array(pipelineLimits.operators * width);

/** Counts what each operator of a pipeline does during one batch. A step is an index in `steps`. */
export class StepCounter {
  /** The numbers of all steps, one step after another. A chain adds to them. */
  readonly numbers: Float64Array;
  private readonly stepOf: ReadonlyMap<string, number>;

  constructor(private readonly steps: readonly OperatorStep[]) {
    this.numbers = new Float64Array(steps.length * width);
    this.stepOf = new Map(steps.map(({ path, operator }, step) => [`${path}/${operator}`, step]));
  }

  /** Counts the end of an event at the operator that an outcome names. Ignores an operator of another definition. */
  end(at: string, result: 'dropped' | 'late' | 'failed'): void {
    const step = this.stepOf.get(at);
    if (step !== undefined) this.numbers[stepSlot(step, result)]! += 1;
  }

  /** Counts events that leave a step with `countsOut`. */
  leave(step: number, events = 1): void {
    this.numbers[stepSlot(step, 'out')]! += events;
  }

  /** Returns the numbers of every step of the definition, also those that are zero. */
  counts(): StepCounts {
    let passed = 0;
    const entries = this.steps.map((step, i) => {
      const continuing = this.of(i, 'arrived') + (step.follows ? passed : 0);
      const into = continuing + this.of(i, 'alone');
      const [dropped, late, failed] = [this.of(i, 'dropped'), this.of(i, 'late'), this.of(i, 'failed')];
      const out = step.countsOut ? this.of(i, 'out') : into - dropped - late - failed;
      passed = step.isOutput ? continuing : out;
      return [step.key, [into, out, dropped, late, failed]];
    });
    return Object.fromEntries(entries) as StepCounts;
  }

  private of(step: number, name: Counted): number {
    return this.numbers[stepSlot(step, name)] ?? 0;
  }
}

/** Adds counts. Keeps an operator only if it has counted an event. */
export function sumStepCounts(a: StepCounts, b: StepCounts): StepCounts {
  const sum: Record<string, StepNumbers> = { ...a };
  for (const [key, numbers] of Object.entries(b)) {
    const before = a[key];
    if (before) sum[key] = numbers.map((events, i) => events + (before[i] ?? 0));
    else if (numbers.some((events) => events !== 0)) sum[key] = numbers;
  }
  return sum;
}
