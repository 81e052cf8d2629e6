/**
 * Limits on one schema. The size and nesting of its text are limited as for every resource
 * (`limits.definitionBytes`, `limits.jsonDepth`). These limits bound the work of compiling the schema and of
 * validating with it.
 */
export const schemaBounds = {
  /** Schemas in the document, including the outermost one. */
  subschemas: 1_000,
  /** Properties of one schema, or branches of its allOf, anyOf or oneOf. */
  members: 500,
  /** Elements of any array or members of any object in the schema, such as the values of an enum. */
  values: 1_000,
  /** Regular expressions in the document. */
  patterns: 100,
  /** Regular expressions that RE2 runs; each one caches up to 8 MiB of automaton states. */
  patternsOfRe2: 25,
  /**
   * Total RE2 instructions of these expressions before RE2 merges alternatives; compiling takes 2 to 3 µs for
   * each instruction.
   */
  writtenOfRe2: 10_000,
  /** Steps that the check of a single value may take, including all references. */
  stepsOfOneValue: 5_000,
  /**
   * Steps for any event, plus steps for each of its characters. A typical event takes less than one step per
   * character.
   */
  stepsOfEvent: 20_000,
  stepsOfCharacter: 4,
  /** Length of the longest chain of references and combinations that apply to a single value. */
  chained: 50,
  /** Errors listed in one answer. */
  errors: 20,
} as const;
