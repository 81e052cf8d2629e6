import type { InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import { compilePattern } from '../validation/pattern.js';
import { below } from './json-pointer.js';
import { isObject, type Schema } from './schema.js';

interface Place {
  pointer: string;
  source: string;
}

/** Regular expressions that cannot be used: not RE2's, too long, or too many. */
export function* patternErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  let count = 0;
  let instructions = 0;
  for (const { pointer, source } of patternsOf(subschemas)) {
    const found = inspect(source);
    if (typeof found === 'string') yield { pointer, detail: found };
    else instructions += found.instructions;
    const detail = `is one regular expression too many: the schema's ${count + 1} are more than can be checked in time`;
    if (++count > schemaBounds.patterns || instructions > schemaBounds.patternInstructions)
      return yield { pointer, detail };
  }
}

function* patternsOf(subschemas: ReadonlyMap<string, Schema>): Generator<Place> {
  for (const [pointer, schema] of subschemas) {
    if (!isObject(schema)) continue;
    if (typeof schema.pattern === 'string')
      yield { pointer: below(pointer, 'pattern'), source: schema.pattern };
    const at = below(pointer, 'patternProperties');
    if (isObject(schema.patternProperties))
      for (const source of Object.keys(schema.patternProperties))
        yield { pointer: below(at, source), source };
  }
}

function inspect(source: string): { instructions: number } | string {
  if (source.length > schemaBounds.patternCharacters)
    return `is a regular expression of more than ${schemaBounds.patternCharacters} characters`;
  try {
    return compilePattern(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown';
    return `is not a regular expression of RE2, which has no look-around and no back-references: ${reason}`;
  }
}
