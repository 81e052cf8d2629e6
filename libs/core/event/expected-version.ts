/**
 * Name of the Kafka header that marks the record of a conditional write. The value of the header `expected-version`, in
 * decimal digits, is the version that the entity must have just before this record; 0 means that the entity has no
 * event yet.
 */
export const expectedVersionHeader = 'expected-version';

const digits = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Returns the expected version of a record from its header; undefined without the header, for an unconditional record.
 * Returns NaN for an invalid header: no version equals it, so the record is refused.
 */
export function readExpectedVersion(header: Buffer | undefined): number | undefined {
  if (header === undefined) return undefined;
  const text = header.toString('latin1');
  return digits.test(text) ? Number(text) : NaN;
}
