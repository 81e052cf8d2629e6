import { jsonPointerTo } from '#json';
import { splitIntoCases } from './case-split.js';
import { meaningDigestOf } from './meaning-digest.js';
import { areDisjoint, isEmpty } from './disjoint.js';
import { MemberShapeResolver } from './members.js';
import type { SchemaDifference, IncompatibilityReason } from './incompatibility-reason.js';
import { shapeIn, type SchemaPart, type ValueShape } from './value-shape.js';

/** A comparison exceeds its limit of steps or of depth. It is reported as an incompatibility. */
export class ComparisonTooComplexError extends Error {
  override readonly name = 'ComparisonTooComplexError';
}

/** Maximum depth of nested comparisons of schemas. */
const deepest = 250;
/** Maximum number of differences kept for one pair of shapes. */
const mostKept = 100;
/** Maximum number of cases into which the values of one shape are split. */
const mostCases = 200;

/**
 * A rule compares some keywords of the reader's schema with the writer's schema. The writer's schema is the one that
 * data was written with; the reader's schema is the one that should accept the data. The rule returns the differences
 * because of which the reader may reject a value that the writer permits. An empty result is a proof that there is no
 * such value; a difference may be only a lack of proof.
 */
export type ComparisonRule = (
  comparison: SchemaComparison,
  writer: ValueShape,
  reader: SchemaPart,
) => SchemaDifference[];

/** The rules of a comparison of two schemas, those whose differences are ignored, and the remaining steps. */
export interface ComparisonOptions {
  rules: readonly ComparisonRule[];
  /** Comparison rules whose differences are ignored (lenient policy). */
  tolerated: ReadonlySet<IncompatibilityReason>;
  /** Number of steps that remain, shared by several comparisons of schemas. */
  steps: { left: number };
}

/**
 * Checks whether the reader's schema permits every value that the writer's schema permits. Each comparison
 * rule checks some keywords of the reader, and reports why the writer's schema does not imply them. If no
 * rule reports a difference, the schemas are proven compatible.
 *
 * Schemas can be recursive. A pair of schemas that is already being compared is assumed to be compatible. If
 * the pair later turns out to be incompatible, the whole comparison is repeated with that result, until no
 * assumption is wrong.
 */
export class SchemaComparison {
  readonly members = new MemberShapeResolver((steps) => this.spend(steps));
  private readonly look = { members: this.members, depth: 3 };
  private readonly refuted = new Map<string, SchemaDifference[]>();
  private readonly met = new Set<string>();
  private depth = 0;

  constructor(
    /** The names of the two schemas in error details, such as "the new schema". */
    readonly writer: string,
    readonly reader: string,
    private readonly options: ComparisonOptions,
  ) {}

  /**
   * Returns the reasons why the reader's shape may reject a value that the writer's shape permits.
   * @throws ComparisonTooComplexError
   */
  differences(writer: ValueShape, reader: ValueShape): SchemaDifference[] {
    for (;;) {
      const known = this.refuted.size;
      this.met.clear();
      const found = this.below(writer, reader);
      if (found.length > 0 || this.refuted.size === known) return found;
    }
  }

  /** Compares the schemas for one member or item of the compared values, and returns their differences. */
  below(writer: ValueShape, reader: ValueShape): SchemaDifference[] {
    const key = `${writer.key} → ${reader.key}`;
    const known = this.refuted.get(key);
    if (known || this.met.has(key)) return known ?? [];
    this.met.add(key);
    const found = this.inside(() => this.divided(writer, reader));
    if (found.length > 0) this.refuted.set(key, found);
    return found;
  }

  /**
   * Compares two shapes of the compared values themselves, and returns their differences. The caller splits the
   * writer's values into cases, if necessary.
   */
  compare(writer: ValueShape, reader: ValueShape): SchemaDifference[] {
    this.spend(1 + (writer.size >> 3));
    if (isEmpty(writer, this.look)) return [];
    if (reader.impossible) return [this.forbidden(writer, reader)];
    return this.inside(() => reader.parts.flatMap((part) => this.comparePart(writer, part)));
  }

  /** Whether the reader's shape provably permits all values that the writer's shape permits. */
  fits(writer: ValueShape, reader: ValueShape): boolean {
    return this.compare(writer, reader).length === 0;
  }

  /** Whether a quick check proves that no JSON value matches both shapes. */
  areApart(writer: ValueShape, other: ValueShape): boolean {
    this.spend(1);
    return areDisjoint(writer, other, this.look);
  }

  /** Whether it is proven that no value of the writer's shape also matches the other shape. */
  refutes(writer: ValueShape, other: ValueShape): boolean {
    this.spend(1 + (writer.size >> 3));
    if (isEmpty(writer, this.look) || areDisjoint(writer, other, this.look)) return true;
    const never = writer.parts.filter(({ schema }) => 'not' in schema).map((part) => shapeIn(part, 'not'));
    return [...never, ...writer.excluded].some((excluded) => this.fits(other, excluded));
  }

  /** Returns a difference at the reader's keyword, or none if the compatibility policy tolerates the rule. */
  differs(
    at: { writer: ValueShape; part: SchemaPart; keyword?: string },
    rule: IncompatibilityReason,
    detail: string,
  ): SchemaDifference[] {
    if (this.options.tolerated.has(rule)) return [];
    const { pointer } = at.part;
    const reader = at.keyword ? jsonPointerTo(pointer, at.keyword) : pointer;
    return [{ rule, writer: at.writer.at, reader, detail }];
  }

  /** Takes steps from the step limit. @throws ComparisonTooComplexError when the limit is exceeded */
  spend(steps: number): void {
    if ((this.options.steps.left -= steps) < 0) throw new ComparisonTooComplexError();
  }

  /**
   * Runs a nested comparison, and returns its differences without duplicates: the same subschema can be reached in
   * several ways. @throws ComparisonTooComplexError if comparisons are nested too deeply
   */
  private inside(compare: () => SchemaDifference[]): SchemaDifference[] {
    if (++this.depth > deepest) throw new ComparisonTooComplexError();
    const found = new Set(compare());
    this.depth--;
    return [...found].slice(0, mostKept);
  }

  /** Compares the writer's shape with each schema of the reader, in cases where that helps. */
  private divided(writer: ValueShape, reader: ValueShape): SchemaDifference[] {
    if (isEmpty(writer, this.look)) return [];
    if (reader.impossible) return [this.forbidden(writer, reader)];
    return reader.parts.flatMap((part) => this.byCases(writer, part, { left: mostCases }));
  }

  private byCases(writer: ValueShape, part: SchemaPart, cases: { left: number }): SchemaDifference[] {
    const alternatives = splitIntoCases(writer);
    // The lenient policy may tolerate a difference because the writer's schema does not mention a property. This
    // tolerance is wrong if an alternative (anyOf, oneOf, if) of the writer's schema mentions the property, so the
    // alternatives are compared first.
    const isEager = this.options.tolerated.size > 0 && alternatives?.said;
    const found = isEager ? undefined : this.comparePart(writer, part);
    if (found?.length === 0 || !alternatives) return found ?? [];
    cases.left -= alternatives.cases.length;
    if (cases.left < 0) return found ?? this.comparePart(writer, part);
    const differences = alternatives.cases
      .filter((one) => !isEmpty(one, this.look))
      .map((one) => this.byCases(one, part, cases));
    if (differences.every((some) => some.length === 0)) return [];
    return alternatives.said || !found ? differences.flat() : found;
  }

  private comparePart(writer: ValueShape, part: SchemaPart): SchemaDifference[] {
    this.spend(1 + (writer.size >> 3));
    const closure = meaningDigestOf(part);
    if (writer.parts.some((own) => meaningDigestOf(own) === closure)) return [];
    return this.options.rules.flatMap((rule) => rule(this, writer, part));
  }

  private forbidden(writer: ValueShape, reader: ValueShape): SchemaDifference {
    const detail = `${this.reader} permits nothing here, ${this.writer} does`;
    return { rule: 'schema_forbids_everything', writer: writer.at, reader: reader.at, detail };
  }
}
