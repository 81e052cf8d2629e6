import { ProblemError } from '#api';

/** Why a stream is not opened, or is ended. */

export function tooMany(most: number): ProblemError {
  const detail = `There are ${most} streams open on this instance already, which is as many as it allows.`;
  return new ProblemError('overloaded', detail, { retryAfterSeconds: 5 });
}

export function tooManyOfKey(most: number): ProblemError {
  const detail =
    `This API key has ${most} streams open on this instance already, which is its share. Close some, follow several ` +
    'event streams on one connection, or have LIVE_STREAMS_PER_KEY raised.';
  return new ProblemError('too_many_requests', detail, { retryAfterSeconds: 5 });
}

export function tooWide(): ProblemError {
  const detail =
    'So many streams are read that a position in them does not fit into a header. Name some with stream=.';
  return new ProblemError('invalid_request', detail, {
    errors: [{ pointer: 'stream', detail: 'must name fewer streams' }],
  });
}

export function tooSlow(): ProblemError {
  const detail =
    'This client does not take the events as fast as they come. Connect again with Last-Event-ID: nothing is left out.';
  return new ProblemError('overloaded', detail);
}

export function tooCostly(): ProblemError {
  const detail =
    'The where of this stream, or those of all streams of this API key together, take too many steps for the events that ' +
    'come. Choose by stream, event_type or entity_id first, and let where look at short texts and lists only.';
  return new ProblemError('query_too_expensive', detail, {
    errors: [{ pointer: 'where', detail: 'costs too much for events as they come' }],
  });
}

export function notAPosition(): ProblemError {
  const detail = 'is broken, or belongs to a stream with other filters';
  return new ProblemError('invalid_cursor', `The Last-Event-ID ${detail}.`, {
    errors: [{ pointer: 'Last-Event-ID', detail }],
  });
}

export function deleted(stream: string): ProblemError {
  return new ProblemError('stream_not_found', `The stream ${stream} has been deleted.`, {
    errors: [{ pointer: 'stream', detail: `there is no stream ${stream}` }],
  });
}

export function shuttingDown(): ProblemError {
  return new ProblemError(
    'shutting_down',
    'This instance is shutting down. Connect again with Last-Event-ID.',
  );
}

export function logUnavailable(cause: Error): ProblemError {
  const detail = 'How far the events can be queried is not known while Kafka cannot be reached.';
  return new ProblemError('log_unavailable', detail, { retryAfterSeconds: 2, cause });
}
