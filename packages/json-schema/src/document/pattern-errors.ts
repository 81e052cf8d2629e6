import { patternBounds, patternSize } from '#regex-cost';
import type { SchemaProblem } from './invalid-schema-error.js';
import { jsonPointerTo } from '#json';
import { schemaBounds } from '../bounds.js';
import { compilePattern, toRe2Syntax } from '../values/pattern.js';
import { isObject, type JsonSchema } from './schema.js';

interface PatternSize {
  /** True if RE2 runs the pattern, false if JavaScript's own engine does. */
  isOfRe2: boolean;
  /** Upper bound on the number of instructions before RE2 merges alternatives. */
  written: number;
}

interface PatternTotals {
  patterns: number;
  ofRe2: number;
  written: number;
}

interface PatternLocation {
  pointer: string;
  source: string;
}

/**
 * Yields an error for each regular expression of a schema document that cannot be used, because RE2 does not accept the
 * expression, the expression is too large, or the document has too many expressions. At most 20 errors are yielded.
 */
export function* patternErrors(subschemas: ReadonlyMap<string, JsonSchema>): Generator<SchemaProblem> {
  const taken = { patterns: 0, ofRe2: 0, written: 0 };
  let faults = 0;
  for (const { pointer, source } of patternsOf(subschemas)) {
    const found = inspect(source);
    taken.patterns++;
    if (typeof found === 'string') {
      yield { pointer, detail: found };
      if (++faults === schemaBounds.errors) return;
    } else if (found.isOfRe2) {
      taken.ofRe2++;
      taken.written += found.written;
    }
    const detail = tooMany(taken);
    if (detail === undefined) continue;
    yield { pointer, detail };
    return;
  }
}

function* patternsOf(subschemas: ReadonlyMap<string, JsonSchema>): Generator<PatternLocation> {
  for (const [pointer, schema] of subschemas) {
    if (!isObject(schema)) continue;
    if (typeof schema.pattern === 'string')
      yield { pointer: jsonPointerTo(pointer, 'pattern'), source: schema.pattern };
    const at = jsonPointerTo(pointer, 'patternProperties');
    if (isObject(schema.patternProperties))
      for (const source of Object.keys(schema.patternProperties))
        yield { pointer: jsonPointerTo(at, source), source };
  }
}

function inspect(source: string): PatternSize | string {
  const { characters, instructions, written } = patternBounds;
  if (source.length > characters) return `is a regular expression of more than ${characters} characters`;
  try {
    const { least, most } = patternSize(toRe2Syntax(source));
    if (least > instructions) return tooLarge(`at least ${least}`);
    if (most > written) return tooManyAlternatives(most);
    const pattern = compilePattern(source);
    if (pattern.instructions > instructions) return tooLarge(String(pattern.instructions));
    return { isOfRe2: pattern.instructions > 0, written: most };
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    return `is not a valid regular expression for RE2, which has no look-around and no back-references: ${reason}`;
  }
}

function tooLarge(taken: string): string {
  return `is too large: it takes ${taken} RE2 instructions; at most ${patternBounds.instructions} are allowed`;
}

function tooManyAlternatives(most: number): string {
  const { written } = patternBounds;
  return `is too large: its alternatives take ${most} RE2 instructions before they are merged; at most ${written} are allowed`;
}

function tooMany({ patterns, ofRe2, written }: PatternTotals): string | undefined {
  const most = schemaBounds;
  if (patterns > most.patterns)
    return `exceeds the limit: at most ${most.patterns} regular expressions are allowed`;
  if (ofRe2 > most.patternsOfRe2)
    return `exceeds the limit: at most ${most.patternsOfRe2} regular expressions with groups or several unbounded repetitions are allowed`;
  if (written <= most.writtenOfRe2) return undefined;
  return `exceeds the limit: all regular expressions together take ${written} RE2 instructions before alternatives are merged; at most ${most.writtenOfRe2} are allowed`;
}
