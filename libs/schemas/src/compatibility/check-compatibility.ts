import { setImmediate } from 'node:timers/promises';
import { acceptedDocument, readDocument } from '../document/read-document.js';
import type { Compatibility } from '#api';
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

/** Steps of comparing two versions both ways: some 50 ms. Schemas of 64 KiB that differ a little take some thousands. */
const stepsPerVersion = 20_000;
/** Reasons that are named. */
const mostNamed = 100;

/**
 * Whether a new version of a schema goes with the earlier ones, as Confluent's schema registry defines it for JSON Schema:
 * empty, or each reason why it does not, 100 at most. `backward`: what the latest version permits, the new one permits
 * (consumers may go first); `forward`: what the new one permits, the latest permits (producers may go first); `full`: both.
 * The transitive forms ask the same of every version. What cannot be decided is a reason, and says so.
 *
 * Other work of the process goes on between two versions.
 * @throws InvalidSchemaError when the new one is no schema
 */
export async function checkCompatibility(question: CompatibilityQuestion): Promise<Incompatibility[]> {
  const { compatibility, schema, policy = 'strict' } = question;
  if (compatibility === 'none') return [];
  const isTransitive = compatibility.endsWith('_transitive');
  const versions = isTransitive ? question.versions : question.versions.slice(-1);
  const newer = { name: 'new', document: readDocument(schema) };
  const found: Incompatibility[] = [];
  for (const { version, schema: earlier } of versions) {
    await setImmediate();
    const older = { name: 'old', document: acceptedDocument(earlier) };
    const differences = differencesBetween({ older, newer, compatibility, policy });
    found.push(...differences.map((difference) => ({ version, ...difference })));
    if (found.length >= mostNamed) break;
  }
  return found.slice(0, mostNamed);
}

type NewDifference = Omit<Incompatibility, 'version'>;

interface Pair {
  older: Source;
  newer: Source;
  compatibility: Compatibility;
  policy: CompatibilityPolicy;
}

/** Each once, also where it is found both ways. */
function differencesBetween({ older, newer, compatibility, policy }: Pair): NewDifference[] {
  const tolerated: ReadonlySet<Rule> = policy === 'lenient' ? toleratedWhenLenient : new Set();
  const steps = { left: stepsPerVersion };
  const backward = { writer: older, reader: newer, tolerated, steps };
  const forward = { writer: newer, reader: older, tolerated, steps };
  const found = [
    ...(compatibility.startsWith('forward') ? [] : differencesOf(backward)),
    ...(compatibility.startsWith('backward') ? [] : differencesOf(forward)),
  ];
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

interface Direction {
  writer: Source;
  reader: Source;
  tolerated: ReadonlySet<Rule>;
  steps: { left: number };
}

function differencesOf({ writer, reader, tolerated, steps }: Direction): NewDifference[] {
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
