import { topicCollisionKey, isStreamIdOf, limits } from '#event';
import { ProblemError } from '#api';
import { StreamDefinition, StreamRetentionLimits } from './stream-definition.js';
import { readDefinition } from '../resources/read-definition.js';
import { UnreadableDefinitionError, type ResourceRules } from '../resources/resource-kind.js';

const slot = '0';

/**
 * Rules of streams. Two names that Kafka cannot distinguish have the same identity, so only one of the two streams can
 * exist. Each record contains the whole definition of a stream:
 * `{"stream":"orders","id":"orders#0k3v9x2m1q","partitions":8,"retention":"unlimited","created_at":"…","state":"live"}`.
 */
export const streamRules: ResourceRules<StreamDefinition> = {
  kind: 'stream',
  most: limits.streams,
  full: () => new ProblemError('stream_limit_reached', `The limit of ${limits.streams} streams is reached.`),
  nameOf: ({ stream }) => stream,
  identityOf: topicCollisionKey,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const value = readDefinition(StreamDefinition, body);
    const { stream, id, retention } = value;
    if (topicCollisionKey(stream) !== identity)
      throw new UnreadableDefinitionError('stream differs from the record key');
    if (!isStreamIdOf(stream, id)) throw new UnreadableDefinitionError('id is not an id of the stream');
    if (retention === 'unlimited') return value;
    return { ...value, retention: readDefinition(StreamRetentionLimits, retention, '/retention') };
  },
  compose: (parts) => parts.at(-1) as StreamDefinition,
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
