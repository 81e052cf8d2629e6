import { expectedVersionHeader, readExpectedVersion } from '#event';
import { headerOf, type ConsumerRecord } from '#kafka';

/**
 * Returns the expected version in the headers of a record; undefined for an unconditional record, NaN for an invalid
 * header. The function reads one header only, because it is called for every record.
 */
export function expectedVersionOf(record: ConsumerRecord): number | undefined {
  return readExpectedVersion(headerOf(record, expectedVersionHeader));
}

/** Returns whether the record expects a version of its entity. */
export function isConditional(record: ConsumerRecord): boolean {
  return expectedVersionOf(record) !== undefined;
}

/** Returns whether a batch contains a conditional record. */
export function hasConditional(records: readonly ConsumerRecord[]): boolean {
  return records.some(isConditional);
}
