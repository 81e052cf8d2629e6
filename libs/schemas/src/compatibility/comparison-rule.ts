import type { MemberModel } from './members.js';
import type { Difference, Rule } from './rule.js';
import type { Part, Shape } from './shape.js';

/**
 * Looks at some keywords of one schema of the reader: why does not every value of the writer's shape pass them? An answer
 * of nothing is a proof; a difference may be a lack of proof.
 */
export type ComparisonRule = (comparison: Comparing, writer: Shape, reader: Part) => Difference[];

/** What a rule may ask while two schemas are compared. */
export interface Comparing {
  /** What the schemas are called in sentences. */
  readonly names: { writer: string; reader: string };
  readonly members: MemberModel;
  /** Why not every value of the writer's shape has the reader's, for parts of the values that are compared. */
  below(writer: Shape, reader: Shape): Difference[];
  /** The same for the very values that are compared, which are taken as a whole: whoever asks takes them apart. */
  compare(writer: Shape, reader: Shape): Difference[];
  /** Whether the writer's values all have the reader's shape. */
  fits(writer: Shape, reader: Shape): boolean;
  /** Whether it is easily seen that no value has both shapes. */
  areApart(writer: Shape, other: Shape): boolean;
  /** Whether no value of the writer's shape has the other. */
  refutes(writer: Shape, other: Shape): boolean;
  /** One difference, unless it is tolerated; `keyword` is the reader's. */
  differs(at: { writer: Shape; part: Part; keyword?: string }, rule: Rule, detail: string): Difference[];
  /** @throws ComparisonTooComplex */
  spend(steps: number): void;
}
