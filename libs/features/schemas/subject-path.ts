import { hasCharacters } from '#json';
import { permitsStream, plainTextPattern, ProblemError, type StreamAccess } from '#api';
import { limits, streamNamePattern } from '#event';
import { PathParameter } from '#http';
import { schemaName, type Definitions, type SchemaSubject, type SchemaVersion } from '#registry';
import './schema-problems.js';

/** Injects the stream of the schema from the path of the URL. */
export function SubjectStream(): ParameterDecorator {
  const schema = { type: 'string', pattern: streamNamePattern.source, example: 'orders' };
  return PathParameter({ name: 'stream', schema }, (text) => {
    if (streamNamePattern.test(text)) return text;
    throw invalid('stream', 'is not a name of a stream');
  });
}

/** Injects the event type of the schema from the path of the URL. */
export function SubjectType(): ParameterDecorator {
  const most = limits.eventTypeCharacters;
  const eventType = {
    name: 'event_type',
    description: 'The event type, percent-encoded: `a/b` is `a%2Fb`.',
    schema: { type: 'string', minLength: 1, maxLength: most, example: 'order.placed' },
  };
  return PathParameter(eventType, (text) => {
    if (hasCharacters(text, { most }) && plainTextPattern.test(text)) return text;
    throw invalid('event_type', `must be 1 to ${most} characters without control characters`);
  });
}

/** Injects the version from the path of the URL. */
export function Version(): ParameterDecorator {
  return PathParameter({ name: 'version', schema: { type: 'integer', minimum: 1, example: 1 } }, (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw invalid('version', 'must be a whole number from 1');
  });
}

function invalid(pointer: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', `The ${pointer} in the path ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}

/** The stream and the event type in the path of a URL. */
interface SubjectPath {
  stream: string;
  eventType: string;
}

/**
 * Refuses a schema of a stream that is not visible to the caller, as if it did not exist.
 * @throws ProblemError 404 `schema_not_found`
 */
export function requireSeenSubject(path: SubjectPath, access: StreamAccess): void {
  if (!permitsStream(access, path.stream)) throw retiredOrMissing(path, undefined);
}

/** Returns the subject of a path, even when it is retired. @throws ProblemError 404 `schema_not_found` */
export function subjectOf(
  { schemas }: Pick<Definitions, 'schemas'>,
  path: SubjectPath,
  access: StreamAccess,
): SchemaSubject {
  requireSeenSubject(path, access);
  const subject = schemas.get(schemaName(path.stream, path.eventType));
  if (!subject) throw retiredOrMissing(path, subject);
  return subject;
}

/** Returns a version of a subject. @throws ProblemError 404 `schema_not_found` */
export function versionOf({ versions }: SchemaSubject, version: number): SchemaVersion {
  const found = versions.find((one) => one.version === version);
  if (found) return found;
  throw new ProblemError('schema_not_found', `The schema has the versions 1 to ${versions.length}.`);
}

/** Returns the problem that a schema does not exist or is retired. */
export function retiredOrMissing(path: SubjectPath, subject: SchemaSubject | undefined): ProblemError {
  const what = `schema of ${path.eventType} in the stream ${path.stream}`;
  const detail = subject
    ? `The ${what} is retired; its versions are still at …/versions.`
    : `There is no ${what}.`;
  return new ProblemError('schema_not_found', detail);
}
