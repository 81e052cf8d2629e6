import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { schemaName, type SchemaSubject, type SchemaVersion } from '#registry';
import './schema-problems.js';

/** The stream and the event type in the path of a URL. */
interface SubjectPath {
  stream: string;
  eventType: string;
}

/** Looks up schema subjects (all schema versions of one stream and event type) by name. */
interface SubjectLookup {
  get(name: string): SchemaSubject | undefined;
}

/**
 * Refuses a schema of a stream that is not visible to the caller, as if it did not exist.
 * @throws ProblemError 404 `schema_not_found`
 */
export function requireSeenSubject(path: SubjectPath, access: StreamAccess): void {
  if (!permitsStream(access, path.stream)) throw retiredOrMissing(path, undefined);
}

/**
 * Returns the subject of a path, even when it is retired.
 * @throws ProblemError 404 `schema_not_found`
 */
export function subjectOf(schemas: SubjectLookup, path: SubjectPath, access: StreamAccess): SchemaSubject {
  requireSeenSubject(path, access);
  const subject = schemas.get(schemaName(path.stream, path.eventType));
  if (!subject) throw retiredOrMissing(path, subject);
  return subject;
}

/** Returns a version of a subject. @throws ProblemError 404 `schema_not_found` */
export function versionOf({ versions }: SchemaSubject, version: number): SchemaVersion {
  const found = versions.find((one) => one.version === version);
  if (found) return found;
  const detail = `The schema has the versions 1 to ${versions.length}.`;
  throw new ProblemError('schema_not_found', detail);
}

/** Returns the subject of a path, unless it is retired. @throws ProblemError 404 `schema_not_found` */
export function activeSubject(
  schemas: SubjectLookup,
  path: SubjectPath,
  access: StreamAccess,
): SchemaSubject {
  const subject = subjectOf(schemas, path, access);
  if (subject.retired) throw retiredOrMissing(path, subject);
  return subject;
}

/** Returns the problem that a schema does not exist or is retired. */
export function retiredOrMissing(path: SubjectPath, subject: SchemaSubject | undefined): ProblemError {
  const what = `schema of ${path.eventType} in the stream ${path.stream}`;
  const detail = subject
    ? `The ${what} is retired; its versions are still at …/versions.`
    : `There is no ${what}.`;
  return new ProblemError('schema_not_found', detail);
}
