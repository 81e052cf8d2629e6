import { applyDecorators } from '@nestjs/common';
import { hasCharacters } from '#json';
import { ProblemError } from '#api';
import { RegexTooLargeError, InvalidCelExpressionError, parseCondition, type ExpressionTree } from '#cel';
import { storedEventVariable } from '#dataflow';
import { limits } from '#event';
import { ParseValue } from '#http';
import '#store';
import { JsonSchemaPart } from '#gateway-kit';

const bounds = { least: 1, most: limits.whereCharacters };

/**
 * Decorator of the query parameter `where`, a CEL expression over `event`. The property gets the parsed `Expression`.
 */
export function WhereParameter(): PropertyDecorator {
  const message = () => `must be ${bounds.least} to ${bounds.most} characters`;
  return applyDecorators(
    ParseValue({ name: 'isWhere', read: readWhere, message }),
    JsonSchemaPart({ type: 'string', minLength: bounds.least, maxLength: bounds.most }),
  );
}

/**
 * Parses the CEL expression of `where`. Returns a 400 problem for an invalid expression, a 422 problem for one whose
 * evaluation may cost too much, and undefined for a text that is empty or too long.
 */
function readWhere(text: string): ExpressionTree | ProblemError | undefined {
  if (!hasCharacters(text, bounds)) return undefined;
  try {
    return parseCondition(text, storedEventVariable);
  } catch (error) {
    if (!(error instanceof InvalidCelExpressionError)) throw error;
    const detail = `${error.message} (at character ${error.at + 1})`;
    const code = error instanceof RegexTooLargeError ? 'query_too_expensive' : 'invalid_expression';
    return new ProblemError(code, detail, { errors: [{ pointer: 'where', detail }] });
  }
}
