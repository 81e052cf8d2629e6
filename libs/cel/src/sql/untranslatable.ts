/** A part of a `where` expression has no translation to SQL. `at` is the place in the expression's text. */
export class UntranslatableExpressionError extends Error {
  override readonly name = 'UntranslatableExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
