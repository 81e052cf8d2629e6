/**
 * Error: a part of a `where` expression cannot be translated to ClickHouse SQL. `at` is the position of the part in the
 * text of the expression.
 */
export class UntranslatableExpressionError extends Error {
  override readonly name = 'UntranslatableExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
