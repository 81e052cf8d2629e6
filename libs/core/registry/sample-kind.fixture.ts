import { IsString } from 'class-validator';
import { definitionLimitReached } from './changes/definition-problems.js';
import { oneRecord } from './resources/one-record.js';
import { IsTextOrNull } from './resources/record-members.js';
import type { ResourceKind } from './resources/resource-kind.js';
import type { ResourceStore } from './resources/resource-store.js';

declare module './resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of a kind that only specs know. */
    samples: ResourceStore<SampleDefinition>;
  }
}

/** A definition of a kind that only specs know. */
export class SampleDefinition {
  @IsString() name: string;
  @IsString() color: string;
  @IsString() secret: string;
  @IsTextOrNull() failure: string | null;
}

/** A kind of definition that only specs know, so that they show what a feature has to write. */
export const sampleKind: ResourceKind<SampleDefinition> = {
  kind: 'sample',
  store: 'samples',
  most: 2,
  full: () => definitionLimitReached('The limit of 2 samples is reached.'),
  ...oneRecord(SampleDefinition, { nameOf: ({ name }) => name }),
  failureOf: ({ failure }) => failure,
  eventType: (before, after) => `sample.${after ? (before ? 'changed' : 'created') : 'removed'}`,
  redact: ({ name, color }) => ({ name, color }),
};
