import { ProblemError } from '#api';
import { JsonObjectReader } from './resources/json-object-reader.js';
import type { ResourceKind } from './resources/resource-kind.js';
import type { ResourceStore } from './resources/resource-store.js';

declare module './resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of a kind that only specs know. */
    samples: ResourceStore<SampleDefinition>;
  }
}

/** A definition of a kind that only specs know. */
export interface SampleDefinition {
  name: string;
  color: string;
  secret: string;
  failure: string | null;
}

/** A kind of definition that only specs know, so that they show what a feature has to write. */
export const sampleKind: ResourceKind<SampleDefinition> = {
  kind: 'sample',
  store: 'samples',
  most: 2,
  full: () => new ProblemError('definition_limit_reached', 'The limit of 2 samples is reached.'),
  nameOf: ({ name }) => name,
  identityOf: (name) => name,
  write: (value) => ({ slot: '0', body: { ...value } }),
  read: (_identity, { body }) => {
    const fields = new JsonObjectReader(body, 'the sample');
    return {
      name: fields.text('name'),
      color: fields.text('color'),
      secret: fields.text('secret'),
      failure: fields.nullableText('failure'),
    };
  },
  compose: (parts) => parts.at(-1) as SampleDefinition,
  failureOf: ({ failure }) => failure,
  eventType: (before, after) => `sample.${after ? (before ? 'changed' : 'created') : 'removed'}`,
  redact: ({ name, color }) => ({ name, color }),
};
