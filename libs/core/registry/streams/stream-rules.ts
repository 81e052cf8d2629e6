import { topicCollisionKey, isStreamIdOf, limits } from '#event';
import { ProblemError } from '#api';
import { StreamDefinition } from './stream-definition.js';
import { oneRecord } from '../resources/one-record.js';
import { UnreadableDefinitionError, type ResourceRules } from '../resources/resource-kind.js';
import './stream-problems.js';

/**
 * Rules of streams. Two names that Kafka cannot distinguish have the same identity, so only one of the two streams can
 * exist. Each record contains the whole definition of a stream:
 * `{"stream":"orders","id":"orders#0k3v9x2m1q","partitions":8,"retention":"unlimited","created_at":"…","state":"live"}`.
 */
export const streamRules: ResourceRules<StreamDefinition> = {
  kind: 'stream',
  most: limits.streams,
  full: () => new ProblemError('stream_limit_reached', `The limit of ${limits.streams} streams is reached.`),
  ...oneRecord(StreamDefinition, {
    nameOf: ({ stream }) => stream,
    identityOf: topicCollisionKey,
    requireConsistent: ({ stream, id }) => {
      if (!isStreamIdOf(stream, id)) throw new UnreadableDefinitionError('id is not an id of the stream');
    },
  }),
  eventType: (before, after) => {
    const [was, is] = [visibleStream(before), visibleStream(after)];
    if (!was) return is && 'stream.created';
    if (!is) return 'stream.deleted';
    return was.state === is.state ? 'stream.changed' : 'stream.deletion_begun';
  },
  redact: visibleStream,
};

/** Returns the stream definition as callers see it: undefined while the stream is being created. */
export function visibleStream(stream: StreamDefinition | undefined): StreamDefinition | undefined {
  return stream?.state === 'creating' ? undefined : stream;
}
