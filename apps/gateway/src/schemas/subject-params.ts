import { hasCharacters, plainTextPattern, ProblemError } from '#api';
import { limits, streamNamePattern } from '#event';
import { PathParameter } from '#http';

const stream = { name: 'stream', schema: { type: 'string', pattern: streamNamePattern.source } };
const eventType = {
  name: 'event_type',
  description: 'Percent-encoded: `a/b` is `a%2Fb`.',
  schema: { type: 'string', minLength: 1, maxLength: limits.eventTypeCharacters },
};
const version = { name: 'version', schema: { type: 'integer', minimum: 1 } };

/** Hands over the stream that the schema in the address is of. */
export function SubjectStream(): ParameterDecorator {
  return PathParameter(stream, (text) => {
    if (streamNamePattern.test(text)) return text;
    throw wrong('stream', 'is not a name of a stream');
  });
}

/** Hands over the event type that the schema in the address is of. */
export function SubjectType(): ParameterDecorator {
  const most = limits.eventTypeCharacters;
  return PathParameter(eventType, (text) => {
    if (hasCharacters(text, { most }) && plainTextPattern.test(text)) return text;
    throw wrong('event_type', `must be 1 to ${most} characters without control characters`);
  });
}

/** Hands over the version in the address. */
export function Version(): ParameterDecorator {
  return PathParameter(version, (text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw wrong('version', 'must be a whole number from 1');
  });
}

function wrong(pointer: string, detail: string): ProblemError {
  return new ProblemError('invalid_request', `The ${pointer} in the address ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
