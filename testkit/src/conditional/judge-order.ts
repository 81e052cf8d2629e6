import type { Finding } from '../checker.js';

/** Something that took place at one moment between two times. */
export interface OperationInterval {
  /** The earliest invocation that may have caused it. */
  invoked: number;
  /** When a client knew of it; Infinity if no client ever did. */
  returned: number;
  /** Names it in a finding. */
  what: string;
}

/** The event that made a version of an entity. */
export interface AcceptedOperation extends OperationInterval {
  version: number;
}

/** A refused attempt, and the version that was current according to its answer. */
export interface RefusedOperation extends OperationInterval {
  current: number;
}

type LevelledOperation = OperationInterval & { level: number };

/**
 * Checks that a moment can be chosen for each accepted and each refused attempt of an entity, between its invocation and
 * its return, such that the moments of the versions 1 to n are in that order and each refusal lies after the version that
 * its answer names and before the next one. Such moments exist if and only if nothing was invoked after the return of
 * something that must come later.
 */
export function judgeOrder(
  accepted: readonly AcceptedOperation[],
  refused: readonly RefusedOperation[],
): Finding[] {
  const versions = accepted.map((one): LevelledOperation => ({ ...one, level: 2 * one.version }));
  const refusals = refused.map((one): LevelledOperation => ({ ...one, level: 2 * one.current + 1 }));
  const unjustified = judgeRefusals(versions, refusals);
  const rest = [...versions, ...refusals.filter((one) => !unjustified.has(one))];
  return [...unjustified.values(), ...conflicts(rest).map(([before, after]) => reordered(before, after))];
}

/** Checks each refusal alone against the accepted events. */
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

/** Returns pairs in which the second must come after the first, but returned before the first was invoked. */
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
  /** The extreme of everything up to this level. */
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

/** Returns the last element for which the condition holds; it holds for a prefix of the list. */
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

function reordered(before: LevelledOperation, after: LevelledOperation): Finding {
  return {
    kind: 'reordered',
    detail: `${after.what} returned before ${before.what} was sent, but comes after it`,
  };
}
