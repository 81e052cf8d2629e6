/**
 * Limits of one JSON Schema, which bound the work of compiling the schema and of validating values with the schema. The
 * nesting is limited to `maxJsonDepth` levels.
 */
export const schemaBounds = {
  /** Maximum size of the schema's JSON text, in bytes. */
  bytes: 64 * 1024,
  /** Maximum number of schemas in one schema document, including the outermost one. */
  subschemas: 1_000,
  /** Maximum number of properties of one schema, and of branches of its allOf, anyOf or oneOf. */
  members: 500,
  /** Maximum number of elements of an array, or members of an object, such as the values of an enum. */
  values: 1_000,
  /** Maximum number of regular expressions in one schema document. */
  patterns: 100,
  /** Maximum number of regular expressions that RE2 runs; each caches up to 8 MiB of automaton states. */
  patternsOfRe2: 25,
  /**
   * Maximum number of RE2 instructions of all regular expressions of one schema document together, before RE2 merges
   * alternatives; compiling takes 2 to 3 µs for each instruction.
   */
  writtenOfRe2: 10_000,
  /** Maximum number of steps for one value, with references, but without its members and items. */
  stepsOfOneValue: 5_000,
  /**
   * Maximum number of validation steps for one text: 20 000, plus 4 for each of its characters. A typical text takes
   * less than one step per character.
   */
  stepsOfText: 20_000,
  stepsOfCharacter: 4,
  /** Maximum length of a chain of references and combinations that apply to a single value. */
  chained: 50,
  /** Maximum number of errors that are listed for one schema or one value. */
  errors: 20,
} as const;
