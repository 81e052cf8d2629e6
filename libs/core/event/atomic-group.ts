/**
 * Name of the Kafka header that marks the records of an atomic group: conditional records of one entity, which are
 * accepted together or refused together. The value of the header `atomic-group` is the index of the record in its
 * group, a slash, and the number of records of the group, in decimal digits: `0/3`. The records of a group have
 * contiguous offsets, and expect consecutive versions.
 */
export const atomicGroupHeader = 'atomic-group';

/** The position of a record in its atomic group. */
export interface AtomicGroupMember {
  /** From 0; the record with index 0 has the condition of the group. */
  index: number;
  size: number;
}

const pattern = /^(0|[1-9]\d{0,4})\/([1-9]\d{0,4})$/;

/** A member of no group: an atomic group that has it is refused. */
const invalid: AtomicGroupMember = { index: NaN, size: NaN };

/** Returns the value of the header `atomic-group`. */
export function atomicGroupText(index: number, size: number): string {
  return `${index}/${size}`;
}

/** Returns the position of a record in its atomic group; undefined without the header. */
export function readAtomicGroupMember(header: Buffer | undefined): AtomicGroupMember | undefined {
  if (header === undefined) return undefined;
  const [, index, size] = pattern.exec(header.toString('latin1')) ?? [];
  const member = { index: Number(index), size: Number(size) };
  return member.index < member.size ? member : invalid;
}
