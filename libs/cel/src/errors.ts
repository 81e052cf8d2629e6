/** The text is not an expression that can be used. `at` is the place in it, counted in characters from 0. */
export class ExpressionError extends Error {
  override readonly name: string = 'ExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** The expression would cost more than is allowed, whatever the event. */
export class ExpensiveExpressionError extends ExpressionError {
  override readonly name = 'ExpensiveExpressionError';
}

/**
 * An expression met a value that it has no meaning for: a missing member, a wrong type, a division by zero. It has no
 * stack: it is an outcome for each of many events, and `at` says where.
 */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
  }
}
