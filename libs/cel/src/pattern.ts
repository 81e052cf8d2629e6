import { leastInstructions, patternBounds } from '#api';
import { RE2JS } from 're2js';
import { spend } from './budget.js';
import { EvaluationError } from './errors.js';

export const notAPattern = 'The pattern of matches() is not a regular expression (RE2).';
const patternsKept = 100;
const patterns = new Map<string, RE2JS>();

/** What compiling takes for each character of a pattern, and searching for each instruction and byte, in steps. */
const stepsOfCompiling = 20;
const stepsOfSearching = 1 / 6;

/**
 * RE2's regular expressions, as CEL defines `matches` and as ClickHouse runs them: no look-around, no back-references.
 * The work is bounded, and charged to the evaluation.
 * @param maxBytes the longest text that this call may search; without it, the pattern's own size says so.
 */
export function matchesPattern(
  text: string,
  pattern: string,
  { at, maxBytes }: { at: number; maxBytes?: number },
): boolean {
  const expression = boundedPattern(pattern, at);
  const instructions = expression.programSize();
  const bytes = Buffer.byteLength(text);
  if (bytes > (maxBytes ?? patternBounds.workOfExpression / instructions)) {
    throw new EvaluationError('The text is too long for the pattern of matches().', at);
  }
  spend(instructions * bytes * stepsOfSearching);
  return expression.matcher(text).find();
}

/** Compiled once; undefined where it is no regular expression. Call it for a pattern within its bounds only. */
export function compiledPattern(pattern: string): RE2JS | undefined {
  const known = patterns.get(pattern);
  if (known) return known;
  spend(pattern.length * stepsOfCompiling);
  const made = compile(pattern);
  if (!made) return undefined;
  const oldest = patterns.keys().next().value;
  if (patterns.size >= patternsKept && oldest !== undefined) patterns.delete(oldest);
  patterns.set(pattern, made);
  return made;
}

function boundedPattern(pattern: string, at: number): RE2JS {
  const { characters, instructions } = patternBounds;
  const isShort = pattern.length <= characters && leastInstructions(pattern) <= instructions;
  const expression = isShort ? compiledPattern(pattern) : undefined;
  if (isShort && !expression) throw new EvaluationError(notAPattern, at);
  if (expression && expression.programSize() <= instructions) return expression;
  throw new EvaluationError('The pattern of matches() is too large.', at);
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
