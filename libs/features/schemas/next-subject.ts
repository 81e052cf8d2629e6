import { isDeepStrictEqual } from 'node:util';
import { ProblemError, type InputProblem } from '#api';
import type { SchemaCompatibility } from '#json-schema';
import type { SchemaEnforcementMode, SchemaSubject } from '#registry';
import type { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import './schema-problems.js';

/** The schema that a client wants to register for a subject. */
export interface DesiredSchema {
  stream: string;
  event_type: string;
  /** The parsed JSON Schema, which has been compiled successfully before. */
  schema: unknown;
  /** The desired compatibility mode; undefined keeps the current mode of the subject. */
  compatibility?: SchemaCompatibility | undefined;
  mode?: SchemaEnforcementMode | undefined;
}

/**
 * Returns the subject with the wanted schema: `current` itself when nothing changes, and a new version only for a
 * different schema. A retired subject becomes active again and keeps its versions, because events in the log still name
 * them. `now` is RFC 3339.
 * @throws ProblemError 409 `schema_incompatible`, 503 `overloaded`
 */
export async function nextSubject(
  current: SchemaSubject | undefined,
  wanted: DesiredSchema,
  { now, checks }: { now: string; checks: SchemaCompatibilityChecker },
): Promise<SchemaSubject> {
  const { stream, event_type, schema } = wanted;
  const compatibility = wanted.compatibility ?? current?.compatibility ?? 'backward';
  const mode = wanted.mode ?? current?.mode ?? 'enforce';
  const versions = current?.versions ?? [];
  const latest = versions.at(-1);
  if (current && latest && isDeepStrictEqual(latest.schema, schema)) {
    const same = current.compatibility === compatibility && current.mode === mode && !current.retired;
    return same ? current : { ...current, compatibility, mode, retired: false };
  }
  const errors = await checks.incompatibilities({ schema, versions, compatibility });
  if (errors.length > 0) throw incompatible(compatibility, errors);
  const version = { version: (latest?.version ?? 0) + 1, schema, created_at: now };
  return { stream, event_type, compatibility, mode, retired: false, versions: [...versions, version] };
}

function incompatible(compatibility: SchemaCompatibility, errors: InputProblem[]): ProblemError {
  const detail =
    `The schema is not ${compatibility} compatible with earlier versions. Change it, or register it with another ` +
    'compatibility ("none" accepts anything).';
  return new ProblemError('schema_incompatible', detail, { errors });
}
