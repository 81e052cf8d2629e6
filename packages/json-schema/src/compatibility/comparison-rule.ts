import type { MemberShapeResolver } from './members.js';
import type { SchemaDifference, IncompatibilityReason } from './incompatibility-reason.js';
import type { SchemaPart, ValueShape } from './value-shape.js';

/**
 * A rule compares some keywords of the reader's schema with the writer's schema. The writer's schema is the
 * one that data was written with; the reader's schema is the one that should accept the data. The rule
 * returns the differences because of which the reader may reject a value that the writer permits. An empty
 * result is a proof that there is no such value; a difference may be only a lack of proof.
 */
export type ComparisonRule = (
  comparison: ComparisonContext,
  writer: ValueShape,
  reader: SchemaPart,
) => SchemaDifference[];

/**
 * What a comparison rule can use while two schemas are compared: comparisons of their parts, a factory for differences,
 * and the step limit.
 */
export interface ComparisonContext {
  /** The names of the two schemas in error details, such as "the new schema". */
  readonly names: { writer: string; reader: string };
  readonly members: MemberShapeResolver;
  /**
   * Compares the writer's and the reader's schemas for one member or item of the compared values, and returns their
   * differences.
   */
  below(writer: ValueShape, reader: ValueShape): SchemaDifference[];
  /**
   * Compares two shapes of the compared values themselves, and returns their differences. The caller splits the
   * writer's values into cases, if necessary.
   */
  compare(writer: ValueShape, reader: ValueShape): SchemaDifference[];
  /** Whether the reader's shape provably permits all values that the writer's shape permits. */
  fits(writer: ValueShape, reader: ValueShape): boolean;
  /** Whether a quick check proves that no JSON value matches both shapes. */
  areApart(writer: ValueShape, other: ValueShape): boolean;
  /** Whether it is proven that no value of the writer's shape also matches the other shape. */
  refutes(writer: ValueShape, other: ValueShape): boolean;
  /**
   * Creates a difference at the reader's keyword `keyword`; returns no difference if the compatibility policy
   * tolerates the rule.
   */
  differs(
    at: { writer: ValueShape; part: SchemaPart; keyword?: string },
    rule: IncompatibilityReason,
    detail: string,
  ): SchemaDifference[];
  /**
   * Takes steps from the step limit of the schema comparison. @throws ComparisonTooComplexError when the limit is
   * exceeded
   */
  spend(steps: number): void;
}
