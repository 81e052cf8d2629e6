import type { Finding } from '../checker.js';

/**
 * An operation on a register that took effect at one moment between its invocation and its return, as in a Jepsen
 * history.
 */
interface OperationInterval {
  /** Time of the earliest invocation that may have caused the operation. */
  invoked: number;
  /** Time at which a client knew of the operation's effect, or Infinity if no client ever knew. */
  returned: number;
  /** Text that names the operation in a finding. */
  what: string;
}

/** An accepted event, and the version that the event gave to its entity. */
export interface AcceptedOperation extends OperationInterval {
  version: number;
}

/** A refused attempt, and the version of the entity that its answer named as current. */
export interface RefusedOperation extends OperationInterval {
  current: number;
}

type LevelledOperation = OperationInterval & { level: number };

/**
 * Checks that the accepted and refused attempts of an entity are linearizable. A moment between invocation and return
 * must exist for each attempt, such that the moments of versions 1 to n are in that order, and each refusal lies after
 * the version that its answer names and before the next version. Moments in this order exist if and only if no attempt
 * was invoked after the return of an attempt that must come later.
 */
export function judgeOrder(
  accepted: readonly AcceptedOperation[],
  refused: readonly RefusedOperation[],
): Finding[] {
  const versions = accepted.map((one): LevelledOperation => ({ ...one, level: 2 * one.version }));
  const refusals = refused.map((one): LevelledOperation => ({ ...one, level: 2 * one.current + 1 }));
  const unjustified = judgeRefusals(versions, refusals);
  const early = accepted.filter(({ invoked, returned }) => invoked > returned);
  const rest = [...versions, ...refusals.filter((one) => !unjustified.has(one))];
  return [
    ...[...unjustified.values(), ...early.map(acknowledgedEarly)],
    ...conflicts(rest).map(([before, after]) => reordered(before, after)),
  ];
}

/** Checks each refused attempt alone against the accepted events. */
function judgeRefusals(
  versions: readonly LevelledOperation[],
  refusals: readonly LevelledOperation[],
): Map<LevelledOperation, Finding> {
  const latest = runningMaximum(versions.toSorted(byLevel));
  const earliest = runningMinimum(versions.toSorted((a, b) => byLevel(b, a)));
  const findings = new Map<LevelledOperation, Finding>();
  for (const refusal of refusals) {
    const before = lastWhere(latest, ({ level }) => level < refusal.level)?.extreme;
    const after = lastWhere(earliest, ({ level }) => level > refusal.level)?.extreme;
    if (before && before.invoked > refusal.returned)
      findings.set(refusal, unfounded(refusal, `${before.what} was not even sent`));
    else if (after && after.returned < refusal.invoked)
      findings.set(refusal, unfounded(refusal, `${after.what} was acknowledged before it was sent`));
  }
  return findings;
}

/**
 * Returns pairs of attempts in which the second attempt must take effect after the first, but returned before the first
 * was invoked.
 */
function conflicts(all: readonly LevelledOperation[]): [LevelledOperation, LevelledOperation][] {
  const found: [LevelledOperation, LevelledOperation][] = [];
  const latest = runningMaximum(all.toSorted(byLevel));
  for (const after of all) {
    const before = lastWhere(latest, ({ level }) => level < after.level)?.extreme;
    if (before && before.invoked > after.returned) found.push([before, after]);
  }
  return found;
}

interface RunningExtreme {
  level: number;
  /** The operation with the extreme time among all operations up to this level. */
  extreme: LevelledOperation;
}

const byLevel = (a: LevelledOperation, b: LevelledOperation): number => a.level - b.level;

function runningMaximum(sorted: readonly LevelledOperation[]): RunningExtreme[] {
  return running(sorted, (a, b) => (b.invoked > a.invoked ? b : a));
}

function runningMinimum(sorted: readonly LevelledOperation[]): RunningExtreme[] {
  return running(sorted, (a, b) => (b.returned < a.returned ? b : a));
}

function running(
  sorted: readonly LevelledOperation[],
  choose: (a: LevelledOperation, b: LevelledOperation) => LevelledOperation,
): RunningExtreme[] {
  let extreme = sorted[0]!;
  return sorted.map((one) => {
    extreme = choose(extreme, one);
    return { level: one.level, extreme };
  });
}

/**
 * Returns the last element for which the condition is true. The condition must be true for a prefix of the list and
 * false for the rest.
 */
function lastWhere(
  list: readonly RunningExtreme[],
  holds: (one: RunningExtreme) => boolean,
): RunningExtreme | undefined {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return list[low - 1];
}

function unfounded(refusal: LevelledOperation, why: string): Finding {
  return { kind: 'refused without a reason', detail: `${refusal.what}, but ${why}` };
}

function acknowledgedEarly({ what }: AcceptedOperation): Finding {
  const detail = `${what} was acknowledged before the attempt that explains its version was sent`;
  return { kind: 'accepted without a reason', detail };
}

function reordered(before: LevelledOperation, after: LevelledOperation): Finding {
  return {
    kind: 'reordered',
    detail: `${after.what} returned before ${before.what} was sent, but comes after it`,
  };
}
