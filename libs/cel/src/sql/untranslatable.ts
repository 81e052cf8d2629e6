/** A part of a `where` expression has no translation to SQL. `at` is its position in the text of the expression. */
export class UntranslatableExpressionError extends Error {
  override readonly name = 'UntranslatableExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
