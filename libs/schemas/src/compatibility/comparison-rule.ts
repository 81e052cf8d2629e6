import type { MemberModel } from './members.js';
import type { Difference, Rule } from './rule.js';
import type { Part, Shape } from './shape.js';

/**
 * A rule compares some keywords of the reader's schema with the writer's schema. The writer's schema is the
 * one that data was written with; the reader's schema is the one that should accept the data. The rule
 * returns the differences because of which the reader may reject a value that the writer permits. An empty
 * result is a proof that there is no such value; a difference may be only a lack of proof.
 */
export type ComparisonRule = (comparison: Comparing, writer: Shape, reader: Part) => Difference[];

/** The operations that a comparison rule can use while two schemas are compared. */
export interface Comparing {
  /** The names of the two schemas in error details, such as "the new schema". */
  readonly names: { writer: string; reader: string };
  readonly members: MemberModel;
  /**
   * Compares the writer's and the reader's schemas for a member or an item of the compared values, and
   * returns their differences.
   */
  below(writer: Shape, reader: Shape): Difference[];
  /**
   * Compares two shapes of the compared values themselves, and returns their differences. It does not split
   * the writer's values into cases; the caller does.
   */
  compare(writer: Shape, reader: Shape): Difference[];
  /** Whether the reader's shape provably permits all values that the writer's shape permits. */
  fits(writer: Shape, reader: Shape): boolean;
  /** Whether a quick check proves that no value matches both shapes. */
  areApart(writer: Shape, other: Shape): boolean;
  /** Whether it is proven that no value of the writer's shape also matches the other shape. */
  refutes(writer: Shape, other: Shape): boolean;
  /**
   * Creates a difference at the reader's keyword `keyword`; returns no difference if the compatibility policy
   * tolerates the rule.
   */
  differs(at: { writer: Shape; part: Part; keyword?: string }, rule: Rule, detail: string): Difference[];
  /** Counts steps of the comparison. @throws ComparisonTooComplex when the limit is exceeded */
  spend(steps: number): void;
}
