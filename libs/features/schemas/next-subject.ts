import { isDeepStrictEqual } from 'node:util';
import { ProblemError } from '#api';
import type { SchemaSubject } from '#registry';
import type { SchemaCompatibilityChecker } from './schema-compatibility-checker.js';
import type { SchemaInput } from './schema-input.js';
import './schema-problems.js';

/**
 * Returns the subject with the desired schema, which has compiled before: `current` itself when nothing changes, and a
 * new version only for a different schema. A retired subject becomes active again and keeps its versions, because events in the log still name
 * them. `now` is RFC 3339.
 * @throws ProblemError 409 `schema_incompatible`, 503 `overloaded`
 */
export async function nextSubject(
  current: SchemaSubject | undefined,
  desired: SchemaInput,
  { now, checks }: { now: string; checks: SchemaCompatibilityChecker },
): Promise<SchemaSubject> {
  const { stream, event_type, schema } = desired;
  const compatibility = desired.compatibility ?? current?.compatibility ?? 'backward';
  const mode = desired.mode ?? current?.mode ?? 'enforce';
  const versions = current?.versions ?? [];
  const latest = versions.at(-1);
  if (current && latest && isDeepStrictEqual(latest.schema, schema)) {
    const same = current.compatibility === compatibility && current.mode === mode && !current.retired;
    return same ? current : { ...current, compatibility, mode, retired: false };
  }
  const errors = await checks.incompatibilities({ schema, versions, compatibility });
  if (errors.length > 0) {
    const detail =
      `The schema is not ${compatibility} compatible with earlier versions. Change it, or register it with another ` +
      'compatibility ("none" accepts anything).';
    throw new ProblemError('schema_incompatible', detail, { errors });
  }
  const version = { version: (latest?.version ?? 0) + 1, schema, created_at: now };
  return { stream, event_type, compatibility, mode, retired: false, versions: [...versions, version] };
}
