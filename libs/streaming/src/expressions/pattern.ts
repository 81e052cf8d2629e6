import { RE2JS } from 're2js';
import { EvaluationError, ExpressionError } from './errors.js';

const notAPattern = 'The pattern of matches() is not a regular expression (RE2).';
const patternsKept = 100;
const patterns = new Map<string, RE2JS>();

/**
 * RE2's regular expressions, as CEL defines `matches` and as ClickHouse runs them: time grows with the text's length
 * only, whatever the pattern, so none can hang the process.
 */
export function matchesPattern(text: string, pattern: string, at: number): boolean {
  const expression = compiled(pattern);
  if (!expression) throw new EvaluationError(notAPattern, at);
  return expression.matcher(text).find();
}

/** @throws ExpressionError when a pattern that is written out is no regular expression. */
export function checkPattern(pattern: string, at: number): void {
  if (!compiled(pattern)) throw new ExpressionError(notAPattern, at);
}

function compiled(pattern: string): RE2JS | undefined {
  const known = patterns.get(pattern);
  if (known) return known;
  const made = compile(pattern);
  if (!made) return undefined;
  const oldest = patterns.keys().next().value;
  if (patterns.size >= patternsKept && oldest !== undefined) patterns.delete(oldest);
  patterns.set(pattern, made);
  return made;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
