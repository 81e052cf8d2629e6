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

/** An expression met a value that it has no meaning for: a missing member, a wrong type, a division by zero. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
