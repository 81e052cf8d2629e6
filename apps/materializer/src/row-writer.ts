import type { EventWriter } from '#store';

/** The part of the event writer that the materializer uses. */
export type RowWriter = Pick<
  EventWriter,
  | 'appendRowBatches'
  | 'appendDeadLetters'
  | 'lastStoredOffset'
  | 'storedEvents'
  | 'latestVersions'
  | 'versionsOf'
>;
