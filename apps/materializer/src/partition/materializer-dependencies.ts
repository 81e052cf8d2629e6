import type { FarDuplicateTimeLimit, IdWindowBounds } from '#dataflow';
import type { ErasureLookup, Erasures, KafkaOrClickHouseRetrier, StalledConsumerDetector } from '#engine';
import type { TopicAndGroupNames } from '#event';
import type { Consumer } from '#kafka';
import type { EventWriter } from '#store';
import type { Logger } from '#telemetry';
import type { VerdictPublisher, VerdictTable } from '#verdicts';

/** The methods of the store's event writer that the materializer calls. */
export type MaterializerStore = Omit<EventWriter, 'markReplayed'>;

/** What all steps of a materializer share. */
export interface MaterializerDependencies {
  topics: TopicAndGroupNames;
  writer: MaterializerStore;
  consumer: Consumer;
  retry: KafkaOrClickHouseRetrier;
  progress: StalledConsumerDetector;
  logger: Logger;
  erasures: ErasureLookup & Pick<Erasures, 'reuseOffsets'>;
  verdicts: VerdictTable;
  publisher: VerdictPublisher;
  window: IdWindowBounds;
  /** How long the ids that have left the id window are remembered. */
  far: FarDuplicateTimeLimit;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
}
