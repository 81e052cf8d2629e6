import { collisionKey, limits, streamNamePattern } from '#event';
import { ProblemError } from '#api';
import type { StreamDefinition } from './stream-definition.js';
import { Fields } from '../fields.js';
import { UnreadableDefinitionError, type KindRules } from '../kind-rules.js';

const slot = '0';
const states = ['live', 'deleting'] as const;

/**
 * Streams. Two whose names Kafka takes for the same cannot stand side by side, so they are one to the log. A record
 * holds the definition as it is: `{"stream":"…","partitions":8,"retention":"unlimited","created_at":"…","state":"live"}`.
 */
export const streamRules: KindRules<StreamDefinition> = {
  kind: 'stream',
  most: limits.streams,
  full: () => new ProblemError('stream_limit_reached', `There are ${limits.streams} streams already.`),
  nameOf: ({ stream }) => stream,
  identityOf: collisionKey,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const fields = new Fields(body, 'the stream');
    const stream = fields.text('stream');
    if (!streamNamePattern.test(stream) || collisionKey(stream) !== identity)
      throw new UnreadableDefinitionError('stream is not the name that the key says');
    return {
      stream,
      // A topic that was there before may have more than a request may ask for, so there is no upper bound.
      partitions: fields.count('partitions'),
      retention: retentionOf(fields),
      ...fields.optional('snapshot_every', (member) => fields.whole(member)),
      created_at: fields.time('created_at'),
      state: fields.oneOf('state', states),
      ...fields.optional('deletion', (member) => deletionOf(fields.fields(member))),
    };
  },
  compose: (parts) => parts.at(-1) as StreamDefinition,
  eventType: (before, after) => {
    if (!before) return 'stream.created';
    if (!after) return 'stream.deleted';
    if (before.state !== after.state) return 'stream.deletion_begun';
    // Who is at the deletion at the moment is nothing that was asked for.
    return after.state === 'deleting' ? undefined : 'stream.changed';
  },
  redact: ({ deletion: _, ...value }) => value,
};

function retentionOf(fields: Fields): StreamDefinition['retention'] {
  if (fields.any('retention') === 'unlimited') return 'unlimited';
  const bounds = fields.fields('retention');
  return {
    ...bounds.optional('time', (member) => bounds.text(member)),
    ...bounds.optional('bytes', (member) => bounds.count(member)),
  };
}

function deletionOf(fields: Fields): StreamDefinition['deletion'] {
  return { worker: fields.text('worker'), until: fields.time('until') };
}
