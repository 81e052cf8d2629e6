import { pipelineLimits } from './limits.js';
import { operatorOf } from './right-side.js';

/** The counts of an operator: events that entered it, that it passed on or wrote, dropped, found late or failed. */
export const stepResults = ['in', 'out', 'dropped', 'late', 'failed'] as const;

/** The counts of one operator, in the order of `stepResults`. */
type SingleOperatorCounts = readonly number[];

/** The event counts of several operators of a pipeline, by `CountedOperator.key`. */
export type EventCountsByOperator = Readonly<Record<string, SingleOperatorCounts>>;

/** An operator of a compiled pipeline definition, as its event counts need it. */
export interface CountedOperator {
  /** JSON pointer to the operator, such as `/operators/2`. */
  readonly path: string;
  readonly operator: string;
  /**
   * Names the counts in a checkpoint, such as `/operators/2/map`. A window, a reduce or a dedupe has the id of its
   * stage instead, so that its counts begin again when its state does.
   */
  readonly key: string;
  /** True if the operator before this one in the definition passes events on to it. */
  readonly follows: boolean;
  /** True if the operator writes events out of the pipeline, and also passes them on (`emit`, `webhook`). */
  readonly isOutput: boolean;
  /** True if `out` is counted. Else it is computed: each event leaves once, unless dropped, late or failed. */
  readonly countsOut: boolean;
}

/**
 * The counters of an operator, from which all other numbers are computed, so that most operators count nothing:
 * `arrived` are events that no earlier operator passed on, `alone` those that an output does not pass on (see
 * `CompiledPipeline.entry`).
 */
const counted = ['arrived', 'alone', 'out', 'dropped', 'late', 'failed'] as const;
type CountedNumber = (typeof counted)[number];
const width = counted.length;
const offsets = Object.fromEntries(counted.map((name, i) => [name, i])) as Readonly<
  Record<CountedNumber, number>
>;

/** Returns the index in `OperatorEventCounter.numbers` of one of an operator's counts. */
export function stepSlot(step: number, of: CountedNumber): number {
  return step * width + offsets[of];
}

/** Array for the counts of evaluations whose counts are not needed; nothing reads it. */
export const uncounted: Float64Array = new Float64Array(pipelineLimits.operators * width);

/** Counts the events of each operator during one batch. An operator is identified by its index in `steps`. */
export class OperatorEventCounter {
  /** The counts of all operators (see `stepSlot`), to which the chains add. */
  readonly numbers: Float64Array;
  private readonly stepOf: ReadonlyMap<string, number>;

  constructor(private readonly steps: readonly CountedOperator[]) {
    this.numbers = new Float64Array(steps.length * width);
    this.stepOf = new Map(steps.map(({ path, operator }, step) => [`${path}/${operator}`, step]));
  }

  /** Counts an event that ended at this operator. Ignores operators that this definition does not have. */
  end(at: string, result: 'dropped' | 'late' | 'failed'): void {
    const step = this.stepOf.get(at) ?? this.stepOf.get(operatorOf(at));
    if (step !== undefined) this.numbers[stepSlot(step, result)]! += 1;
  }

  leave(step: number, events = 1): void {
    this.numbers[stepSlot(step, 'out')]! += events;
  }

  /** Returns the five counts of every operator of the definition, also those that are zero. */
  counts(): EventCountsByOperator {
    let passed = 0;
    const entries = this.steps.map((step, i) => {
      const continuing = this.of(i, 'arrived') + (step.follows ? passed : 0);
      const into = continuing + this.of(i, 'alone');
      const [dropped, late, failed] = [this.of(i, 'dropped'), this.of(i, 'late'), this.of(i, 'failed')];
      const out = step.countsOut ? this.of(i, 'out') : into - dropped - late - failed;
      passed = step.isOutput ? continuing : out;
      return [step.key, [into, out, dropped, late, failed]];
    });
    return Object.fromEntries(entries) as EventCountsByOperator;
  }

  private of(step: number, name: CountedNumber): number {
    return this.numbers[stepSlot(step, name)] ?? 0;
  }
}

/** Returns the sums of two sets of counts. An operator that is only in `b` is left out if its counts are zero. */
export function sumStepCounts(a: EventCountsByOperator, b: EventCountsByOperator): EventCountsByOperator {
  const sum: Record<string, SingleOperatorCounts> = { ...a };
  for (const [key, numbers] of Object.entries(b)) {
    const before = a[key];
    if (before) sum[key] = numbers.map((events, i) => events + (before[i] ?? 0));
    else if (numbers.some((events) => events !== 0)) sum[key] = numbers;
  }
  return sum;
}
