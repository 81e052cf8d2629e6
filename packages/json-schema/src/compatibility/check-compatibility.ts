import { setImmediate } from 'node:timers/promises';
import { readAcceptedDocument, readDocument } from '../document/read-document.js';
import type { SchemaCompatibility } from './compatibility-mode.js';
import { SchemaComparison, ComparisonTooComplexError } from './comparison.js';
import {
  toleratedWhenLenient,
  type ComparisonStrictness,
  type SchemaDifference,
  type IncompatibilityReason,
} from './incompatibility-reason.js';
import { rules } from './rules/rules.js';
import { shapeOf, type ComparedDocument } from './value-shape.js';

/** A reason why a new version of a schema is not compatible with an earlier version. */
interface Incompatibility {
  /** Number of the earlier schema version that the new version is incompatible with. */
  version: number;
  /** JSON pointer to the cause in the new version of the schema. */
  pointer: string;
  /** Stable name of the reason for the incompatibility. */
  rule: IncompatibilityReason;
  detail: string;
}

/** A new version of a schema, the earlier versions to compare it with, and the compatibility mode. */
export interface CompatibilityRequest {
  /** The new version of the schema, as parsed JSON. */
  schema: unknown;
  /** The existing versions of the schema, oldest first; all of them were accepted before. */
  versions: readonly { version: number; schema: unknown }[];
  compatibility: SchemaCompatibility;
  /** How the comparison treats properties that a schema does not mention: `strict` by default. */
  policy?: ComparisonStrictness;
}

/**
 * Step limit of the comparison of two versions in both directions, about 50 ms. Schemas of 64 KiB with small
 * differences take a few thousand steps.
 */
const stepsPerVersion = 20_000;
/** Maximum number of incompatibilities that are reported for a new version of a schema. */
const mostNamed = 100;

/**
 * Checks a new version of a schema against earlier versions, as Confluent's schema registry defines
 * compatibility for JSON Schema. Returns each reason for an incompatibility, at most 100; empty if
 * compatible.
 * - `backward`: the new version permits everything that the latest version permits (consumers can be upgraded
 *   first).
 * - `forward`: the latest version permits everything that the new version permits (producers can be upgraded
 *   first).
 * - `full`: both.
 * - The transitive modes compare with every version.
 *
 * An undecidable case is reported as a reason of its own. Between two versions, the process can do other
 * work.
 * @throws InvalidSchemaError when the new schema is invalid
 */
export async function checkCompatibility(question: CompatibilityRequest): Promise<Incompatibility[]> {
  const { compatibility, schema, policy = 'strict' } = question;
  if (compatibility === 'none') return [];
  const isTransitive = compatibility.endsWith('_transitive');
  const versions = isTransitive ? question.versions : question.versions.slice(-1);
  const newer = { name: 'new', document: readDocument(schema) };
  const found: Incompatibility[] = [];
  for (const { version, schema: earlier } of versions) {
    await setImmediate();
    const older = { name: 'old', document: readAcceptedDocument(earlier) };
    const differences = differencesBetween({ older, newer, compatibility, policy });
    found.push(...differences.map((difference) => ({ version, ...difference })));
    if (found.length >= mostNamed) break;
  }
  return found.slice(0, mostNamed);
}

type UnversionedIncompatibility = Omit<Incompatibility, 'version'>;

interface VersionPair {
  older: ComparedDocument;
  newer: ComparedDocument;
  compatibility: SchemaCompatibility;
  policy: ComparisonStrictness;
}

/**
 * Returns the differences between two versions of a schema, in the directions that the mode requires. A difference that
 * is found in both directions is returned once.
 */
function differencesBetween({
  older,
  newer,
  compatibility,
  policy,
}: VersionPair): UnversionedIncompatibility[] {
  const tolerated: ReadonlySet<IncompatibilityReason> =
    policy === 'lenient' ? toleratedWhenLenient : new Set();
  const steps = { left: stepsPerVersion };
  const backward = { writer: older, reader: newer, tolerated, steps };
  const forward = { writer: newer, reader: older, tolerated, steps };
  const found = [
    ...(compatibility.startsWith('forward') ? [] : differencesOf(backward)),
    ...(compatibility.startsWith('backward') ? [] : differencesOf(forward)),
  ];
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

interface ComparisonDirection {
  writer: ComparedDocument;
  reader: ComparedDocument;
  tolerated: ReadonlySet<IncompatibilityReason>;
  steps: { left: number };
}

function differencesOf({
  writer,
  reader,
  tolerated,
  steps,
}: ComparisonDirection): UnversionedIncompatibility[] {
  const names = { writer: nameOf(writer), reader: nameOf(reader) };
  const isBackward = reader.name === 'new';
  const name = ({ writer: at, reader: to, rule, detail }: SchemaDifference) => ({
    pointer: isBackward ? to : at,
    rule,
    detail,
  });
  try {
    return new SchemaComparison(names, { rules, tolerated, steps })
      .differences(shapeOf(writer, ''), shapeOf(reader, ''))
      .map(name);
  } catch (error) {
    // The comparison may exhaust the stack before its steps.
    if (!(error instanceof ComparisonTooComplexError || error instanceof RangeError)) throw error;
    const detail =
      'the difference between the schemas takes too long to compare; they are treated as incompatible';
    return [{ pointer: '', rule: 'too_complex', detail }];
  }
}

function nameOf({ name }: ComparedDocument): string {
  return name === 'new' ? 'the new schema' : 'the earlier schema';
}
