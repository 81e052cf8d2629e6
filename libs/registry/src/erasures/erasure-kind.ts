import { ProblemError } from '#api';
import { isStreamIdOf, streamNameOf } from '#event';
import { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { erasureName, type Erasure } from './erasure.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Erasures of entities, named by `erasureName(stream, entity_hash)`. */
    erasures: ResourceStore<Erasure>;
  }
}

const slot = '0';
const mostErasures = 100_000;
const hashPattern = /^[0-9a-f]{64}$/;

/** Rules of erasures. Each record contains a whole erasure; a later erasure of the same entity replaces it. */
export const erasureKind: ResourceKind<Erasure> = {
  kind: 'erasure',
  store: 'erasures',
  most: mostErasures,
  full: () =>
    new ProblemError('definition_limit_reached', `The limit of ${mostErasures} erasures is reached.`),
  nameOf: erasureName,
  identityOf: (name) => name,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const fields = new JsonObjectReader(body, 'the erasure');
    const [stream, entity_hash] = [fields.text('stream'), fields.text('entity_hash')];
    if (!isStreamIdOf(streamNameOf(stream), stream) || !hashPattern.test(entity_hash))
      throw new UnreadableDefinitionError('stream is not a stream id, or entity_hash is not a SHA-256');
    if (erasureName({ stream, entity_hash }) !== identity)
      throw new UnreadableDefinitionError('stream and entity_hash differ from the record key');
    const before = fields.fields('before').counts();
    return { stream, entity_hash, before, erased_at: fields.time('erased_at') };
  },
  compose: (parts) => parts.at(-1) as Erasure,
  eventType: (_before, after) => (after ? 'entity.erasure_begun' : 'entity.erasure_forgotten'),
  redact: (value) => value,
};
