import type { EventWriter } from '#store';

/** The methods of the store's event writer that the materializer calls. */
export type MaterializerStore = Pick<
  EventWriter,
  | 'appendRowBatches'
  | 'appendDeadLetters'
  | 'lastStoredOffset'
  | 'storedEvents'
  | 'latestVersions'
  | 'versionsOf'
  | 'offsetsOf'
  | 'idsIn'
>;
