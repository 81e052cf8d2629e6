import { acceptedDocument, readDocument } from '../document/read-document.js';
import type { Compatibility } from '#contracts';
import { Comparison, ComparisonTooComplex } from './comparison.js';
import { toleratedWhenLenient, type CompatibilityPolicy, type Difference, type Rule } from './rule.js';
import { rules } from './rules/rules.js';
import { shapeOf, type Source } from './shape.js';

/** A reason why a new version of a schema does not go with an earlier one. */
export interface Incompatibility {
  /** The earlier version. */
  version: number;
  /** A JSON pointer into the new schema. */
  pointer: string;
  /** What is wrong: a stable name. */
  rule: Rule;
  detail: string;
}

export interface CompatibilityQuestion {
  /** The new schema. */
  schema: unknown;
  /** The versions there are, oldest first; they were accepted before. */
  versions: readonly { version: number; schema: unknown }[];
  compatibility: Compatibility;
  /** Default: strict. */
  policy?: CompatibilityPolicy;
}

/** Steps of comparing two versions both ways; schemas of 64 KiB that differ a little take some thousands. */
const stepsPerVersion = 50_000;
/** Steps of one question, which bound the time it takes to some seconds. */
const stepsInAll = 200_000;
/** Reasons that are named. */
const mostNamed = 100;

/**
 * Whether a new version of a schema goes with the earlier ones, as Confluent's schema registry defines it for JSON Schema:
 * empty, or each reason why it does not. `backward`: what the latest version permits, the new one permits (consumers may
 * go first); `forward`: what the new one permits, the latest permits (producers may go first); `full`: both. The
 * transitive forms ask the same of every version. What cannot be decided is a reason, and says so.
 * @throws InvalidSchemaError when the new one is no schema
 */
export function checkCompatibility(question: CompatibilityQuestion): Incompatibility[] {
  const { compatibility, schema, policy = 'strict' } = question;
  if (compatibility === 'none') return [];
  const isTransitive = compatibility.endsWith('_transitive');
  const versions = isTransitive ? question.versions : question.versions.slice(-1);
  const tolerated: ReadonlySet<Rule> = policy === 'lenient' ? toleratedWhenLenient : new Set();
  const newer = { name: 'new', document: readDocument(schema) };
  let left = stepsInAll;
  const found = versions.flatMap(({ version, schema: earlier }) => {
    const older = { name: 'old', document: acceptedDocument(earlier) };
    const steps = { left: Math.min(stepsPerVersion, left) };
    left -= steps.left;
    const differences = [
      ...(compatibility.startsWith('forward')
        ? []
        : differencesOf({ writer: older, reader: newer, tolerated, steps })),
      ...(compatibility.startsWith('backward')
        ? []
        : differencesOf({ writer: newer, reader: older, tolerated, steps })),
    ];
    left += Math.max(0, steps.left);
    return differences.map(({ pointer, rule, detail }) => ({ version, pointer, rule, detail }));
  });
  const once = new Map(found.map((one) => [JSON.stringify(one), one]));
  return [...once.values()].slice(0, mostNamed);
}

interface Direction {
  writer: Source;
  reader: Source;
  tolerated: ReadonlySet<Rule>;
  steps: { left: number };
}

function differencesOf({ writer, reader, tolerated, steps }: Direction): Omit<Incompatibility, 'version'>[] {
  const names = { writer: nameOf(writer), reader: nameOf(reader) };
  const isBackward = reader.name === 'new';
  const name = ({ writer: at, reader: to, rule, detail }: Difference) => ({
    pointer: isBackward ? to : at,
    rule,
    detail,
  });
  try {
    return new Comparison(names, { rules, tolerated, steps })
      .differences(shapeOf(writer, ''), shapeOf(reader, ''))
      .map(name);
  } catch (error) {
    // The stack may end before the steps do.
    if (!(error instanceof ComparisonTooComplex || error instanceof RangeError)) throw error;
    const detail = 'the schemas differ in a way that takes too long to compare; it is taken for incompatible';
    return [{ pointer: '', rule: 'too_complex', detail }];
  }
}

function nameOf({ name }: Source): string {
  return name === 'new' ? 'the new schema' : 'the earlier one';
}
