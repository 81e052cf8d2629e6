import { hasCharacters, permitsStream, plainTextPattern, ProblemError, type StreamAccess } from '#api';
import { limits, streamNamePattern } from '#event';
import { schemaName, type SchemaSubject } from '#registry';

/** The stream and the event type that an address names. */
export interface SubjectPath {
  stream: string;
  eventType: string;
}

/** Where subjects are looked up by their name. */
export interface Subjects {
  get(name: string): SchemaSubject | undefined;
}

/**
 * Checks what an address names before it is looked up.
 * @throws ProblemError 400 `invalid_request`
 */
export function checkSubjectPath({ stream, eventType }: SubjectPath): void {
  if (!streamNamePattern.test(stream)) throw wrong('stream', 'is not a name of a stream');
  const longest = limits.eventTypeCharacters;
  if (!hasCharacters(eventType, { most: longest }) || !plainTextPattern.test(eventType)) {
    throw wrong('event_type', `must be 1 to ${longest} characters without control characters`);
  }
}

/**
 * Answers for a schema of a stream that may not be seen as if there were none.
 * @throws ProblemError 404 `schema_not_found`
 */
export function requireSeenSubject(path: SubjectPath, access: StreamAccess): void {
  if (!permitsStream(access, path.stream)) throw retiredOrMissing(path, undefined);
}

/**
 * Returns the subject of an address, also when it is retired.
 * @throws ProblemError 404 `schema_not_found`, and what `checkSubjectPath` throws
 */
export function subjectOf(schemas: Subjects, path: SubjectPath, access: StreamAccess): SchemaSubject {
  checkSubjectPath(path);
  requireSeenSubject(path, access);
  const subject = schemas.get(schemaName(path.stream, path.eventType));
  if (!subject) throw retiredOrMissing(path, subject);
  return subject;
}

/** The same, unless it is retired. @throws ProblemError 404 `schema_not_found` */
export function subjectInForce(schemas: Subjects, path: SubjectPath, access: StreamAccess): SchemaSubject {
  const subject = subjectOf(schemas, path, access);
  if (subject.retired) throw retiredOrMissing(path, subject);
  return subject;
}

/** Says why there is no schema in force. */
export function retiredOrMissing(path: SubjectPath, subject: SchemaSubject | undefined): ProblemError {
  const what = `schema of ${path.eventType} in the stream ${path.stream}`;
  const detail = subject
    ? `The ${what} is retired; its versions are still at …/versions.`
    : `There is no ${what}.`;
  return new ProblemError('schema_not_found', detail);
}

function wrong(pointer: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', `The ${pointer} in the address ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
