import { atomicGroupHeader, readAtomicGroupMember, type AtomicGroupMember } from '#event';
import { headerOf, type ConsumerRecord } from '#kafka';
import { expectedVersionOf, type Verdict } from '#verdicts';

/** Whether a record repeats an accepted one: of the id window, or one that has left it. */
export type RecordRepetition = 'none' | 'near' | 'far';

/** The decision on one record of an atomic group. `isFar`: the event that it repeats has left the id window. */
export type AtomicGroupDecision =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'repeated'; readonly isFar: boolean }
  | { readonly kind: 'rejected'; readonly verdict: Pick<Verdict, 'current_version' | 'partial'> };

/** What the decision on a group needs to know of its records. */
export interface AtomicGroupRules {
  /** Returns the event id and the entity of a record; undefined if it is not an event of an entity. */
  identityOf(record: ConsumerRecord): { eventId: string; entity: string } | undefined;
  /** Returns whether the record repeats an accepted one; undefined if this must be looked up first. */
  repetitionOf(record: ConsumerRecord): RecordRepetition | undefined;
  /** Returns the version that the entity of the record has at its offset. */
  currentVersion(record: ConsumerRecord): number;
  /** Returns whether the record at an earlier offset was refused; undefined if it has no verdict. */
  wasRejected(offset: number): boolean | undefined;
}

/** A group and the decision on each of its records. */
interface DecidedGroup {
  readonly from: number;
  readonly decisions: readonly AtomicGroupDecision[];
}

/** Returns the position of a record in its atomic group; undefined if it is of none. */
export function atomicGroupMemberOf(record: ConsumerRecord): AtomicGroupMember | undefined {
  return readAtomicGroupMember(headerOf(record, atomicGroupHeader));
}

/**
 * Decides the atomic groups of a partition. A group is decided at its first record, for all its records:
 *
 * | The group                                                               | is       |
 * | ----------------------------------------------------------------------- | -------- |
 * | has not all its records at the next offsets, or some are of another entity | rejected |
 * | repeats accepted events with all of its records                         | repeated |
 * | repeats accepted events with some of its records                        | rejected |
 * | expects the version that its entity has                                 | accepted |
 * | expects another version                                                 | rejected |
 *
 * Tributary appends the records of a group as one record batch, which Kafka has as a whole or not at all. The records of other
 * producers, or of a tool that has copied the topic, can be incomplete. A record whose first record is missing is refused.
 */
export class AtomicGroups {
  /** The group that was decided last. */
  private last: DecidedGroup | undefined;
  /** What is known of a group until a repetition is looked up. It is asked once: an id can leave the id window meanwhile. */
  private begun: { from: number; repetitions: RecordRepetition[] } | undefined;

  /**
   * Returns the decision on a record of a group that has no verdict yet; undefined if a repetition must be looked up first.
   * @param position The record at the index `at` of the records of a batch; a group is not in two batches.
   */
  decide(
    { records, at }: { records: readonly ConsumerRecord[]; at: number },
    { index, size }: AtomicGroupMember,
    rules: AtomicGroupRules,
  ): AtomicGroupDecision | undefined {
    const record = records[at]!;
    const from = record.offset - index;
    if (index === 0) {
      if (this.begun?.from !== from) this.begun = { from, repetitions: [] };
      const { repetitions } = this.begun;
      const decisions = decisionsOn(records.slice(at, at + size), { size, repetitions }, rules);
      if (!decisions) return undefined;
      this.last = { from, decisions };
      this.begun = undefined;
    }
    const { last } = this;
    if (last?.from === from && last.decisions.length === size) return last.decisions[index];
    return restOfGroup(record, from, rules);
  }
}

/**
 * Decides a record whose first record is not in the batch: an earlier owner of the partition has decided that one, and has
 * ended before it published the other verdicts, or there is no first record.
 */
function restOfGroup(
  record: ConsumerRecord,
  from: number,
  rules: AtomicGroupRules,
): AtomicGroupDecision | undefined {
  const repetition = rules.repetitionOf(record);
  if (repetition === undefined) return undefined;
  if (repetition !== 'none') return { kind: 'repeated', isFar: repetition === 'far' };
  const current_version = rules.currentVersion(record);
  const isAccepted = rules.wasRejected(from) === false && expectedVersionOf(record) === current_version;
  return isAccepted ? { kind: 'accepted' } : { kind: 'rejected', verdict: { current_version } };
}

/**
 * Returns the decisions on all records of a group; undefined if a repetition must be looked up first. Adds what it learns
 * to `repetitions`, with which the next call continues.
 */
function decisionsOn(
  members: readonly ConsumerRecord[],
  { size, repetitions }: { size: number; repetitions: RecordRepetition[] },
  rules: AtomicGroupRules,
): AtomicGroupDecision[] | undefined {
  const [first] = members as [ConsumerRecord];
  const all = (decision: AtomicGroupDecision): AtomicGroupDecision[] =>
    new Array<AtomicGroupDecision>(size).fill(decision);
  const rejected = (partial?: true): AtomicGroupDecision[] => {
    const current_version = rules.currentVersion(first);
    return all({ kind: 'rejected', verdict: { current_version, ...(partial && { partial }) } });
  };
  if (!isWhole(members, size, rules)) return rejected();
  for (const member of members.slice(repetitions.length)) {
    const repetition = rules.repetitionOf(member);
    if (repetition === undefined) return undefined;
    repetitions.push(repetition);
  }
  const repeated = repetitions.filter((repetition) => repetition !== 'none').length;
  if (repeated > 0 && repeated < size) return rejected(true);
  if (repeated > 0)
    return repetitions.map((repetition) => ({ kind: 'repeated', isFar: repetition === 'far' }));
  if (expectedVersionOf(first) !== rules.currentVersion(first)) return rejected();
  return all({ kind: 'accepted' });
}

/** Returns whether these are all records of a group, of one entity, with different ids. */
function isWhole(
  members: readonly ConsumerRecord[],
  size: number,
  rules: Pick<AtomicGroupRules, 'identityOf'>,
): boolean {
  const [first] = members as [ConsumerRecord];
  const [expected, entity] = [expectedVersionOf(first), rules.identityOf(first)?.entity];
  if (members.length !== size || expected === undefined || entity === undefined) return false;
  const ids = new Set<string>();
  for (const [index, member] of members.entries()) {
    const position = atomicGroupMemberOf(member);
    if (member.offset !== first.offset + index || position?.index !== index || position.size !== size)
      return false;
    const identity = rules.identityOf(member);
    if (identity?.entity !== entity || expectedVersionOf(member) !== expected + index) return false;
    ids.add(identity.eventId);
  }
  return ids.size === size;
}
