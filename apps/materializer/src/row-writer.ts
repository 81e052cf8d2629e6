import type { EventWriter } from '#store';

/** What of the store materializing needs. */
export type RowWriter = Pick<
  EventWriter,
  'appendBlocks' | 'appendDeadLetters' | 'lastStored' | 'stored' | 'versions'
>;
