import type { TopicAndGroupNames } from '#event';
import type { Log } from '#kafka';
import type { Erasure } from '../erasures/erasure.js';
import type { LogResourceStore } from '../changes/log-resource-store.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { StreamDefinition } from './stream-definition.js';

/** The dependencies of creating, changing and deleting streams. */
export interface StreamOperationDependencies {
  log: Log;
  names: TopicAndGroupNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  kind: LogResourceStore<StreamDefinition>;
  /** Erasures, which are removed with their stream. */
  erasures: ResourceStore<Erasure>;
  /** Resolves when the view contains every record that was in the definitions topic at the time of the call. */
  upToDate: () => Promise<void>;
}
