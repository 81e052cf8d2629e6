/** Error with the position in the text of an expression, counted in characters from 0. */
class ErrorAt extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Error: a text is not a valid CEL expression. */
export class InvalidCelExpressionError extends ErrorAt {
  override readonly name: string = 'InvalidCelExpressionError';
}

/** Error: the regular expressions of an expression are too large, before it is evaluated for any value. */
export class RegexTooLargeError extends InvalidCelExpressionError {
  override readonly name = 'RegexTooLargeError';
}

/** Error: a part of a `where` cannot be translated to ClickHouse SQL. */
export class UntranslatableExpressionError extends ErrorAt {
  override readonly name: string = 'UntranslatableExpressionError';
}

/** Error: no value (missing member, wrong type, division by zero, too many steps). No stack trace: it is frequent. */
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
