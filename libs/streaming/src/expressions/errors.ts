/** The text is not an expression that can be used. `at` is the place in it, counted in characters from 0. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
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
