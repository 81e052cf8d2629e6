/** The text is not a valid expression. `at` is the position of the error, counted in characters from 0. */
export class ExpressionError extends Error {
  override readonly name: string = 'ExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** The expression costs more than is allowed for any event. */
export class ExpensiveExpressionError extends ExpressionError {
  override readonly name = 'ExpensiveExpressionError';
}

/**
 * The expression has no value for an event: a missing member, a wrong type, a division by zero. The error has no stack
 * trace, because it is the outcome of one of many events; `at` is the position in the expression.
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
