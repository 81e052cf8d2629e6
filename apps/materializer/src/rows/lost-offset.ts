import { headerOf, type ConsumerRecord } from '#kafka';

/** Header of a record that was written back: the offset that its event had before Kafka lost it. */
export const lostOffsetHeader = 'lost-offset';

/** Returns the offset that the event of a record had before Kafka lost it; undefined if the record was not written back. */
export function lostOffsetOf(record: ConsumerRecord): number | undefined {
  const header = headerOf(record, lostOffsetHeader);
  return header === undefined ? undefined : Number(header.toString());
}
