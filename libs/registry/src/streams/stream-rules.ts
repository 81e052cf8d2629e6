import { topicCollisionKey, isStreamIdOf, limits, streamNamePattern } from '#event';
import { ProblemError } from '#api';
import type { StreamDefinition } from './stream-definition.js';
import { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError, type ResourceRules } from '../resources/resource-kind.js';

const slot = '0';
const states = ['creating', 'live', 'deleting'] as const;

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
    const fields = new JsonObjectReader(body, 'the stream');
    const stream = fields.text('stream');
    if (!streamNamePattern.test(stream) || topicCollisionKey(stream) !== identity)
      throw new UnreadableDefinitionError('stream differs from the record key');
    const id = fields.text('id');
    if (!isStreamIdOf(stream, id)) throw new UnreadableDefinitionError('id is not an id of the stream');
    return {
      stream,
      id,
      // There is no upper limit here: an existing topic may have more partitions than a request may ask for.
      partitions: fields.count('partitions'),
      retention: retentionOf(fields),
      ...fields.optional('snapshot_every', (member) => fields.whole(member)),
      created_at: fields.time('created_at'),
      state: fields.oneOf('state', states),
    };
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

function retentionOf(fields: JsonObjectReader): StreamDefinition['retention'] {
  if (fields.any('retention') === 'unlimited') return 'unlimited';
  const bounds = fields.fields('retention');
  return {
    ...bounds.optional('time', (member) => bounds.text(member)),
    ...bounds.optional('bytes', (member) => bounds.count(member)),
  };
}

/** Returns the stream definition as callers see it: undefined while the stream is being created. */
export function visibleStream(stream: StreamDefinition | undefined): StreamDefinition | undefined {
  return stream?.state === 'creating' ? undefined : stream;
}
