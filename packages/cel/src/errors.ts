/** Error: a text is not a valid CEL expression. `at` is the position in the text, counted in characters from 0. */
export class InvalidCelExpressionError extends Error {
  override readonly name: string = 'InvalidCelExpressionError';

  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/**
 * Error: the regular expressions of a CEL expression are too large, so the expression is rejected before it is
 * evaluated for any value.
 */
export class RegexTooLargeError extends InvalidCelExpressionError {
  override readonly name = 'RegexTooLargeError';
}

/**
 * Error: a CEL expression has no value for a value of the variable, because of a missing member, a wrong type, a division by zero or
 * too many steps. The error has no stack trace, because it can occur for every value. The member `at` is the position
 * in the text of the expression.
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
