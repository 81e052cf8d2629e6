import { patternBounds, patternSize } from '#regex-cost';
import { RE2JS } from 're2js';
import { spend } from './budget.js';
import { EvaluationError } from './errors.js';

/** Maximum of instructions × bytes of all searches in one evaluation of an expression. */
export const searchWork = 2_000_000;

export const notAPattern = 'The pattern of matches() is not a regular expression (RE2).';
const patternsKept = 100;
const patterns = new Map<string, RE2JS>();

/**
 * Number of steps charged for compiling a regular expression, for each character and for each instruction before
 * merging; and for a search, for each instruction and byte of the text.
 */
const stepsOfCharacter = 20;
const stepsOfInstruction = 8;
const stepsOfSearching = 1 / 6;

/**
 * Returns whether a text matches a pattern of RE2, as in CEL and in ClickHouse. The work is limited and charged.
 * @param maxBytes the longest text that this call may search, in bytes of UTF-8
 */
export function findsPattern(
  text: string,
  pattern: RE2JS,
  { at, maxBytes }: { at: number; maxBytes: number },
): boolean {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw new EvaluationError('The text is too long for the pattern of matches().', at);
  spend(pattern.programSize() * bytes * stepsOfSearching);
  return pattern.matcher(text).find();
}

/**
 * Returns whether a text matches a pattern that the expression computes. Compiling it is charged each time, even if it
 * is cached: a cost does not depend on earlier evaluations in this process.
 */
export function matchesPattern(text: string, source: string, at: number): boolean {
  const pattern = boundedPattern(source, at);
  return findsPattern(text, pattern, {
    at,
    maxBytes: searchWork / pattern.programSize(),
  });
}

/**
 * Returns a compiled pattern, from the cache if possible; undefined if it is not a regular expression. The caller
 * checks `patternSize` before the call.
 */
export function compiledPattern(source: string): RE2JS | undefined {
  const known = patterns.get(source);
  if (known) return known;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(source);
  } catch {
    return undefined;
  }
  if (pattern.programSize() > patternBounds.instructions) return pattern;
  const oldest = patterns.keys().next().value;
  if (patterns.size >= patternsKept && oldest !== undefined) patterns.delete(oldest);
  patterns.set(source, pattern);
  return pattern;
}

function boundedPattern(source: string, at: number): RE2JS {
  const { characters, instructions, written } = patternBounds;
  if (source.length > characters) throw tooLarge(at);
  spend(source.length * stepsOfCharacter);
  const { least, most } = patternSize(source);
  if (least > instructions || most > written) throw tooLarge(at);
  spend(most * stepsOfInstruction);
  const pattern = compiledPattern(source);
  if (!pattern) throw new EvaluationError(notAPattern, at);
  if (pattern.programSize() > instructions) throw tooLarge(at);
  return pattern;
}

function tooLarge(at: number): EvaluationError {
  return new EvaluationError('The pattern of matches() is too large.', at);
}
