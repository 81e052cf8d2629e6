import type { EvaluationContext } from './evaluation-context.js';
import type { ReadableEvent } from './readable-event.js';

/** Applies one operator to an event, and passes the results to the steps after it. */
export type Step = (flow: ReadableEvent, context: EvaluationContext) => void;

/** An operator cannot process an event. The error has no stack trace, because callers turn it into a fail outcome. */
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
 * Wraps `compute` so that it does not throw OperatorError. In that case the wrapper adds a fail outcome and returns
 * undefined.
 * @param at JSON pointer to the operator
 */
export function catchOperatorError<T>(
  compute: (flow: ReadableEvent, context: EvaluationContext) => T,
  at: string,
): (flow: ReadableEvent, context: EvaluationContext) => T | undefined {
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
