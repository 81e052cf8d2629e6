import { Ajv2020, type FormatDefinition } from 'ajv/dist/2020.js';
import { containsKeyword } from './contains-keyword.js';
import { counting } from './counting-keyword.js';
import { formats } from './formats.js';
import { safeKeywords } from './safe-keywords.js';
import type { Meter } from './meter.js';
import { compilePattern } from './pattern.js';

export interface AjvOptions {
  meter: Meter;
  /** Whether to go on after the first error. */
  allErrors: boolean;
  /** Whether the schema names members that every JavaScript object inherits. */
  ownProperties: boolean;
  /** Whether the schema has unevaluatedProperties, which makes every other keyword cost more. */
  unevaluated: boolean;
}

/**
 * An Ajv for one schema, whose work is counted by `meter`. Keywords that could take more time than their input is long,
 * or that floating point or a member's name could deceive, are ours.
 */
export function ajvFor({ meter, allErrors, ownProperties, unevaluated }: AjvOptions): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    ownProperties,
    meta: false,
    validateSchema: false,
    // The document has been looked through already, with better sentences.
    strict: false,
    inlineRefs: false,
    messages: false,
    // A number too large for floating point is still a number.
    strictNumbers: false,
    formats: Object.fromEntries([...formats].map(([name, check]) => [name, metered(check, meter)])),
    // Its optimizer takes the square of the schema's size; V8 does the same work anyway.
    code: { optimize: false, regExp: Object.assign(patternsOf(meter), { code: 'pattern' }) },
    logger: false,
  });
  // There are no dynamic references here.
  Object.assign(ajv.opts, { dynamicRef: false, unevaluated });
  const ours = [...safeKeywords(meter), containsKeyword];
  for (const { keyword } of ours) ajv.removeKeyword(String(keyword));
  return ajv.addVocabulary([...ours, counting(meter)]);
}

/** Short texts are cheap to look at; long ones count. */
function metered(check: (text: string) => boolean, meter: Meter): FormatDefinition<string> {
  return {
    type: 'string',
    validate: (text) => {
      if (text.length > 64) meter.charge(text.length * 4);
      return check(text);
    },
  };
}

/** Patterns of so few, RE2 soon knows all about: then it takes some 10 ns for each character of any text. */
const fewInstructions = 12;

/** Ajv takes the text of a pattern as its identity. */
function patternsOf(meter: Meter) {
  return (source: string) => {
    const pattern = compilePattern(source);
    const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
    return {
      test: (text: string) => {
        meter.charge(8 + text.length);
        meter.chargeSearch(text.length * searching);
        return pattern.test(text);
      },
      toString: () => source,
    };
  };
}
