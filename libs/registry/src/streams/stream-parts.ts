import type { TopicNames } from '#event';
import type { Log } from '#log';
import type { Erasure } from '../erasures/erasure.js';
import type { LogKind } from '../changes/log-kind.js';
import type { StreamDefinition } from './stream-definition.js';

/** What the changes of streams need. */
export interface StreamParts {
  log: Log;
  names: TopicNames;
  /** Of streams that are created without saying how many. */
  defaults: { partitions: number };
  kind: LogKind<StreamDefinition>;
  /** They end with the stream. */
  erasures: LogKind<Erasure>;
  /** Resolves when the view has all that is in the topic now. */
  upToDate: () => Promise<void>;
}
