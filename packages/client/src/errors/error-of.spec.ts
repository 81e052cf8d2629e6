import { describe, expect, it } from 'vitest';
import { errorOf, isTransient, retryAfterSecondsOf } from './error-of.js';
import { ProblemError, UnexpectedStatusError } from './tributary-error.js';
import { problemClasses, StreamNotFoundError } from './problem-classes.js';

const document = {
  ...{
    type: 'urn:tributary:problem:stream_not_found',
    title: 'No stream',
    status: 404,
    detail: 'There is no x.',
  },
  ...{ code: 'stream_not_found', request_id: 'r', errors: [{ pointer: '/stream', detail: 'is unknown' }] },
};

describe('the error of a failed answer', () => {
  it('has the class of its problem code, and the problem document', () => {
    const error = errorOf({ status: 404, text: JSON.stringify(document) });
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ name: 'StreamNotFoundError', code: 'stream_not_found', problem: document });
    expect(error.message).toBe('There is no x.\n  /stream: is unknown');
  });

  it.each(Object.entries(problemClasses))('of the code %s has the name of its class', (code, type) => {
    const error = errorOf({ status: 400, text: JSON.stringify({ ...document, code }) });
    expect(error).toBeInstanceOf(type);
    expect(error.name).toBe(type.name);
  });

  it('says the same only once: the detail of some problems contains their only error', () => {
    const same = { ...document, detail: 'A batch must be 1 to 10 events.' };
    const errors = [{ pointer: '/events', detail: 'must be 1 to 10 events' }];
    const messageOf = (problem: object) => errorOf({ status: 400, text: JSON.stringify(problem) }).message;
    expect(messageOf({ ...same, errors })).toBe('/events: A batch must be 1 to 10 events.');
    expect(messageOf({ ...same, errors: [{ ...errors[0], pointer: '' }] })).toBe(same.detail);
    expect(messageOf({ ...same, errors: [...errors, ...errors] })).toContain('\n  /events: must be 1 to 10');
  });

  it.each(['of_tomorrow', 'toString', '__proto__'])('is a ProblemError for the unknown code %s', (code) => {
    const error = errorOf({ status: 409, text: JSON.stringify({ ...document, code }) });
    expect(Object.getPrototypeOf(error)).toBe(ProblemError.prototype);
    expect(error).toMatchObject({ code });
  });

  it.each(['<html>', '{}', 'null', '""', ''])(
    'is an UnexpectedStatusError for %j, which is not a problem document',
    (text) => {
      const error = errorOf({ status: 502, text, retryAfterSeconds: 3 });
      expect(error).toBeInstanceOf(UnexpectedStatusError);
      expect(isTransient(error)).toBe(true);
      expect(retryAfterSecondsOf(error)).toBe(3);
    },
  );

  it.each([
    [400, false],
    [408, true],
    [413, false],
    [429, true],
    [500, false],
    [503, true],
    [504, true],
  ])('of status %i is transient: %s', (status, transient) => {
    expect(isTransient(errorOf({ status, text: JSON.stringify({ ...document, status }) }))).toBe(transient);
  });
});
