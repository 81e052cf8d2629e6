import { hasCharacters } from '#json';
import { plainTextPattern, ProblemError } from '#api';
import { limits, streamNamePattern } from '#event';
import { PathParameter } from '#http';

const stream = { name: 'stream', schema: { type: 'string', pattern: streamNamePattern.source } };
const eventType = {
  name: 'event_type',
  description: 'The event type, percent-encoded: `a/b` is `a%2Fb`.',
  schema: { type: 'string', minLength: 1, maxLength: limits.eventTypeCharacters },
};
const version = { name: 'version', schema: { type: 'integer', minimum: 1 } };

/** Injects the stream of the schema from the path of the URL. */
export function SubjectStream(): ParameterDecorator {
  return PathParameter(stream, (text) => {
    if (streamNamePattern.test(text)) return text;
    throw wrong('stream', 'is not a name of a stream');
  });
}

/** Injects the event type of the schema from the path of the URL. */
export function SubjectType(): ParameterDecorator {
  const most = limits.eventTypeCharacters;
  return PathParameter(eventType, (text) => {
    if (hasCharacters(text, { most }) && plainTextPattern.test(text)) return text;
    throw wrong('event_type', `must be 1 to ${most} characters without control characters`);
  });
}

/** Injects the version from the path of the URL. */
export function Version(): ParameterDecorator {
  return PathParameter(version, (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw wrong('version', 'must be a whole number from 1');
  });
}

function wrong(pointer: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', `The ${pointer} in the path ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
