import { ProblemError } from '#api';
import '#store';

/** Problems for which a live stream is refused or ended. */

export function tooManyStreams(most: number): ProblemError {
  const detail = `This instance already has ${most} open streams, which is its limit.`;
  return new ProblemError('overloaded', detail, { retryAfterSeconds: 5 });
}

export function tooManyStreamsOfKey(most: number): ProblemError {
  const detail =
    `This API key already has ${most} open streams on this instance, which is its limit. Close some, follow several ` +
    'event streams on one connection, or raise LIVE_STREAMS_PER_KEY.';
  return new ProblemError('too_many_requests', detail, { retryAfterSeconds: 5 });
}

export function positionTooLong(): ProblemError {
  const detail = 'A position in so many streams does not fit into a header. Name fewer streams with stream=.';
  return new ProblemError('invalid_request', detail, {
    errors: [{ pointer: 'stream', detail: 'must name fewer streams' }],
  });
}

export function tooManyPartitions(most: number): ProblemError {
  const detail =
    `An instance follows the accepted events of at most ${most} partitions. Name fewer streams with stream=, or use ` +
    'delivery=stored.';
  return new ProblemError('query_too_expensive', detail, {
    errors: [{ pointer: 'stream', detail: 'must name fewer streams' }],
  });
}

export function clientTooSlow(): ProblemError {
  const detail =
    'This client receives events more slowly than they arrive. Connect again with Last-Event-ID: no event is lost.';
  return new ProblemError('overloaded', detail);
}

export function filterTooExpensive(): ProblemError {
  const detail =
    'The where of this stream, or of all streams of this API key together, needs too many steps for the ' +
    'arriving events. Filter by stream, event_type or entity_id first, and let where evaluate only short ' +
    'texts and lists.';
  return new ProblemError('query_too_expensive', detail, {
    errors: [{ pointer: 'where', detail: 'costs too much for the arriving events' }],
  });
}

export function invalidLastEventId(): ProblemError {
  const detail = 'is broken, or belongs to a stream with other filters';
  return new ProblemError('invalid_cursor', `The Last-Event-ID ${detail}.`, {
    errors: [{ pointer: 'Last-Event-ID', detail }],
  });
}

export function streamDeleted(stream: string): ProblemError {
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

export function logRecordsDeleted(stream: string): ProblemError {
  const detail = `Kafka has deleted records of the stream ${stream} that were not delivered. Connect again with Last-Event-ID: no event is lost.`;
  return new ProblemError('overloaded', detail);
}

export function logUnavailable(cause: unknown): ProblemError {
  const detail = 'Cannot determine which events can be queried: Kafka cannot be reached.';
  return new ProblemError('log_unavailable', detail, { retryAfterSeconds: 2, cause });
}
