import type { EvaluationContext } from './evaluation-context.js';
import type { ReadableFlow } from './flow-event.js';

/** Does with an event what an operator does, and gives what comes of it to the steps after it. */
export type Step = (flow: ReadableFlow, context: EvaluationContext) => void;

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
 * Returns what `compute` returns for an event. If `compute` throws an OperatorError, the event fails at the operator, and the
 * result is undefined.
 * @param at pointer to the operator
 */
export function attempting<T>(
  compute: (flow: ReadableFlow, context: EvaluationContext) => T,
  at: string,
): (flow: ReadableFlow, context: EvaluationContext) => T | undefined {
  return (flow, context) => {
    try {
      return compute(flow, context);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      context.outcomes.push({ kind: 'fail', at, pointer: error.pointer, detail: error.message, flow });
      return undefined;
    }
  };
}
