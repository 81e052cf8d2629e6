import { setImmediate } from 'node:timers/promises';
import { readAcceptedDocument, readDocument } from '../document/read-document.js';
import type { SchemaCompatibility } from './compatibility-mode.js';
import { ComparisonTooComplexError, SchemaComparison, type ComparisonOptions } from './comparison.js';
import {
  toleratedWhenLenient,
  type ComparisonStrictness,
  type SchemaDifference,
  type IncompatibilityReason,
} from './incompatibility-reason.js';
import { rules } from './rules.js';
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

/** Step limit for two versions, about 50 ms. Small differences between 64 KiB take a few thousand steps. */
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
export async function checkCompatibility(request: CompatibilityRequest): Promise<Incompatibility[]> {
  const { schema, versions, compatibility, policy = 'strict' } = request;
  if (compatibility === 'none') return [];
  const compared = compatibility.endsWith('_transitive') ? versions : versions.slice(-1);
  const tolerated = policy === 'lenient' ? toleratedWhenLenient : new Set<IncompatibilityReason>();
  const newer = { name: 'new', document: readDocument(schema) };
  const found: Incompatibility[] = [];
  for (const { version, schema: earlier } of compared) {
    await setImmediate();
    const older = { name: 'old', document: readAcceptedDocument(earlier) };
    const options = { rules, tolerated, steps: { left: stepsPerVersion } };
    const backward = compatibility.startsWith('forward') ? [] : differencesOf(older, newer, options);
    const forward = compatibility.startsWith('backward') ? [] : differencesOf(newer, older, options);
    // A difference that is found in both directions is reported once.
    const distinct = new Map([...backward, ...forward].map((one) => [JSON.stringify(one), one]));
    for (const difference of distinct.values()) found.push({ version, ...difference });
    if (found.length >= mostNamed) break;
  }
  return found.slice(0, mostNamed);
}

function differencesOf(
  writer: ComparedDocument,
  reader: ComparedDocument,
  options: ComparisonOptions,
): Omit<Incompatibility, 'version'>[] {
  const pointerOf = (found: SchemaDifference) => (reader.name === 'new' ? found.reader : found.writer);
  try {
    return new SchemaComparison(nameOf(writer), nameOf(reader), options)
      .differences(shapeOf(writer, ''), shapeOf(reader, ''))
      .map((found) => ({ pointer: pointerOf(found), rule: found.rule, detail: found.detail }));
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
