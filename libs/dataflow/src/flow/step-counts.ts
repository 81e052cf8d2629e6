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
  /**
   * True if `out` is counted. Otherwise each event leaves the operator once, unless it is dropped, late or failed, and
   * `out` is computed.
   */
  readonly countsOut: boolean;
}

const width = stepResults.length;
const offsets: Readonly<Record<StepResult, number>> = { in: 0, out: 1, dropped: 2, late: 3, failed: 4 };

/** Returns the index in `StepCounter.numbers` at which the events that enter an operator are counted. */
export function inSlot(step: number): number {
  return step * width + offsets.in;
}

/** Returns the index in `StepCounter.numbers` at which the events that leave an operator are counted. */
export function outSlot(step: number): number {
  return step * width + offsets.out;
}

/** Receives counts that nobody reads. */
export const uncounted: Float64Array = new Float64Array(pipelineLimits.operators * width);

/** Counts what each operator of a pipeline does during one batch. A step is an index in `steps`. */
export class StepCounter {
  /** The numbers of all steps, one step after another. The steps of a chain write here without a call. */
  readonly numbers: Float64Array;
  private readonly stepOf: ReadonlyMap<string, number>;

  constructor(private readonly steps: readonly OperatorStep[]) {
    this.numbers = new Float64Array(steps.length * width);
    this.stepOf = new Map(steps.map(({ path, operator }, step) => [`${path}/${operator}`, step]));
  }

  /** Counts the end of an event at the operator that an outcome names. Ignores an operator of another definition. */
  end(at: string, result: 'dropped' | 'late' | 'failed'): void {
    const step = this.stepOf.get(at);
    if (step !== undefined) this.numbers[step * width + offsets[result]]! += 1;
  }

  enter(step: number, events = 1): void {
    this.numbers[inSlot(step)]! += events;
  }

  leave(step: number, events = 1): void {
    this.numbers[outSlot(step)]! += events;
  }

  /** Returns the numbers of every step of the definition, also those that are zero. */
  counts(): StepCounts {
    return Object.fromEntries(this.steps.map(({ key, countsOut }, step) => [key, this.of(step, countsOut)]));
  }

  private of(step: number, countsOut: boolean): StepNumbers {
    const counted = [...this.numbers.subarray(step * width, (step + 1) * width)];
    if (countsOut) return counted;
    const [into = 0, , ...ended] = counted;
    return [into, ended.reduce((rest, events) => rest - events, into), ...ended];
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
