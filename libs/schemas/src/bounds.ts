/**
 * What one schema may ask for. The text's size and its nesting are bounded like every other definition
 * (`limits.definitionBytes`, `limits.jsonDepth`); these bound the work of compiling it and of validating with it.
 */
export const schemaBounds = {
  /** Schemas in the document, the outermost one included. */
  subschemas: 1_000,
  /** Properties, or branches of allOf, anyOf and oneOf, of one schema. */
  members: 500,
  /** Members of any array or object, such as an enum. */
  values: 1_000,
  /** Regular expressions in the document. */
  patterns: 100,
  /** Those among them that RE2 runs; each keeps up to 8 MiB of what it has learnt. */
  patternsOfRe2: 25,
  /** Instructions that those have together before RE2 merges alternatives: compiling takes 2 to 3 µs for each. */
  writtenOfRe2: 10_000,
  /** Steps that checking a single value may take when every reference is followed. */
  stepsOfOneValue: 5_000,
  /** Steps for any event, and for each character of it. A typical event takes less than one per character. */
  stepsOfEvent: 20_000,
  stepsOfCharacter: 4,
  /** References and combinations that follow each other on a single value. */
  chained: 50,
  /** Errors named in one answer. */
  errors: 20,
} as const;
