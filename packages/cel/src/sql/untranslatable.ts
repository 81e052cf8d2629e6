/** Error: a part of a `where`, at the position `at`, cannot be translated to ClickHouse SQL. */
export class UntranslatableExpressionError extends Error {
  override readonly name = 'UntranslatableExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}
