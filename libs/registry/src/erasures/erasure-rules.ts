import { ProblemError } from '#api';
import { isIdOf, streamName } from '#event';
import { Fields } from '../kind/fields.js';
import { UnreadableDefinitionError, type KindRules } from '../kind/kind-rules.js';
import { erasureName, type Erasure } from './erasure.js';

const slot = '0';
const mostErasures = 100_000;
const hashPattern = /^[0-9a-f]{64}$/;

/** Erasures. A record holds the tombstone as it is; a later erasure of the same entity takes its place. */
export const erasureRules: KindRules<Erasure> = {
  kind: 'erasure',
  most: mostErasures,
  full: () => new ProblemError('definition_limit_reached', `There are ${mostErasures} erasures already.`),
  nameOf: erasureName,
  identityOf: (name) => name,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const fields = new Fields(body, 'the erasure');
    const [stream, entity_hash] = [fields.text('stream'), fields.text('entity_hash')];
    if (!isIdOf(streamName(stream), stream) || !hashPattern.test(entity_hash))
      throw new UnreadableDefinitionError('stream or entity_hash is not one');
    if (erasureName({ stream, entity_hash }) !== identity)
      throw new UnreadableDefinitionError('stream and entity_hash are not what the key says');
    const before = fields.fields('before').counts();
    return { stream, entity_hash, before, erased_at: fields.time('erased_at') };
  },
  compose: (parts) => parts.at(-1) as Erasure,
  eventType: (_before, after) => (after ? 'entity.erasure_begun' : 'entity.erasure_forgotten'),
  redact: (value) => value,
};
