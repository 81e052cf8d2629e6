import { EvaluationError } from '#cel';
import { kindsOf, namesOfKinds, type Kinds } from '#cel';
import type { Value } from '#cel';
import { compileExact } from '../folds/checked-expression.js';
import { definedAt, expressionDetail } from '../folds/definition-error.js';
import type { FoldEvent } from '../folds/fold-event.js';
import type { ReadableFlow } from '../pipelines/flow-event.js';
import { pipelineLimits } from '../pipelines/limits.js';
import { text } from '../pipelines/members.js';
import type { Run } from '../pipelines/run.js';

/** Does with an event what an operator does, and gives what comes of it to the steps after it. */
export type Step = (flow: ReadableFlow, run: Run) => void;

/** A compiled operator: a step, once it is known what comes after it. */
export type Operator = (next: Step) => Step;

/** An operator cannot process an event. It has no stack: it is an outcome. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';

  constructor(
    readonly pointer: string,
    message: string,
  ) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}

/**
 * Compiles an expression of an operator, with exact arithmetic. What it returns throws OperatorError at the pointer where
 * the expression has no value for an event, or one of a kind that is not wanted.
 * @throws DefinitionError at the pointer
 */
export function compileOperand(
  expression: unknown,
  pointer: string,
  wanted: Kinds,
): (event: FoldEvent) => Value {
  const source = text(expression, pointer, pipelineLimits.expressionCharacters);
  const run = definedAt(pointer, () => compileExact(source, wanted));
  return (event) => {
    const value = evaluated(run, event, pointer);
    const kind = kindsOf(value);
    if (kind & wanted) return value;
    throw new OperatorError(pointer, `This is ${namesOfKinds(kind)}, but ${namesOfKinds(wanted)} is needed.`);
  };
}

function evaluated(run: (event: FoldEvent) => Value, event: FoldEvent, pointer: string): Value {
  try {
    return run(event);
  } catch (error) {
    if (error instanceof EvaluationError) throw new OperatorError(pointer, expressionDetail(error));
    throw error;
  }
}

/**
 * What `compute` returns for an event; undefined when the event cannot be processed, and then that is its outcome.
 * @param at the operator
 */
export function attempting<T>(
  compute: (flow: ReadableFlow, run: Run) => T,
  at: string,
): (flow: ReadableFlow, run: Run) => T | undefined {
  return (flow, run) => {
    try {
      return compute(flow, run);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      run.outcomes.push({ kind: 'fail', at, pointer: error.pointer, detail: error.message, flow });
      return undefined;
    }
  };
}
