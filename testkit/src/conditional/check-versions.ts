import type { Finding, FindingKind, ObservedEvent } from '../checker.js';
import { hasOwnCondition, type Attempt } from './attempt.js';
import { judgeOrder, type AcceptedOperation, type RefusedOperation } from './judge-order.js';

type AcceptedAttempt = Attempt & { outcome: 'accepted' };
type RefusedAttempt = Attempt & { outcome: 'refused' };

const isAccepted = (attempt: Attempt): attempt is AcceptedAttempt => attempt.outcome === 'accepted';
const isRefused = (attempt: Attempt): attempt is RefusedAttempt => attempt.outcome === 'refused';
/** Returns whether the attempt may have stored its event. */
const mayHaveStored = ({ outcome }: Attempt): boolean => outcome === 'accepted' || outcome === 'unknown';

/**
 * Checks a history of conditional writes for linearizability, for each entity. The version of an entity is a register:
 * an accepted event that expects `v` is a compare-and-set from `v` to `v + 1`, and an unconditional event is an
 * increment. A repeat of an accepted event returns the version of that event again. An attempt with an unknown outcome
 * may have taken place at any time after its invocation, or never. The stored events give the order of the accepted
 * events, so the check need not search for an order. Of an atomic batch, all events are stored together, or none is.
 */
export function checkVersions(attempts: readonly Attempt[], stored: readonly ObservedEvent[]): Finding[] {
  const attempted = groupedBy(attempts, entityOf);
  const kept = groupedBy(stored, entityOf);
  const names = new Set([...attempted.keys(), ...kept.keys()]);
  return [...names].flatMap((name) => judgeEntity(attempted.get(name) ?? [], kept.get(name) ?? []));
}

function judgeEntity(attempts: readonly Attempt[], stored: readonly ObservedEvent[]): Finding[] {
  const ofEvent = groupedBy(attempts, ({ event_id }) => event_id);
  const inOrder = stored.toSorted((a, b) => a.version! - b.version!);
  const versions = new Map(inOrder.map((event) => [event.event_id, event.version!]));
  const accepted = inOrder.flatMap((event) => acceptedAt(event, ofEvent.get(event.event_id) ?? []));
  const refused = attempts.filter(isRefused);
  const last = inOrder.at(-1)?.version ?? 0;
  return [
    ...attempts.flatMap(judgeAnswer),
    ...refused.flatMap((attempt) => judgeCurrent(attempt, last)),
    ...judgeRow(inOrder),
    ...inOrder.flatMap((event) => judgeStored(event, ofEvent.get(event.event_id) ?? [])),
    ...[...ofEvent.values()].flatMap((ofOne) => judgeEvent(ofOne, versions)),
    ...judgeAnsweredVersions(attempts, inOrder),
    ...judgeOrder(accepted, refused.map(refusedAt)),
    ...judgeGroups(attempts, inOrder),
  ];
}

/** Checks the answer of one attempt without regard to other attempts. */
function judgeAnswer(attempt: Attempt): Finding[] {
  if (attempt.outcome === 'failed') return [finding('unexpected answer', attempt, attempt.reason)];
  if (!isRefused(attempt)) return [];
  if (attempt.expected === null) return [finding('refused without a reason', attempt, 'it is unconditional')];
  if (attempt.expected !== attempt.current || !hasOwnCondition(attempt)) return [];
  return [finding('refused without a reason', attempt, 'the entity is at that version')];
}

function judgeCurrent(attempt: RefusedAttempt, last: number): Finding[] {
  if (attempt.current <= last) return [];
  return [finding('refused without a reason', attempt, `the entity never had more than version ${last}`)];
}

/** Checks the stored events of an entity: versions 1 to n, in the order of the log, in one partition. */
function judgeRow(inOrder: readonly ObservedEvent[]): Finding[] {
  const seen = new Set<string>();
  return inOrder.flatMap((event, i) => {
    const before = inOrder[i - 1];
    const findings: Finding[] = [];
    if (before?.version === event.version)
      findings.push(stored('two at one version', event, `${before.event_id} has it too`));
    else if (event.version !== (before?.version ?? 0) + 1)
      findings.push(stored('version gap', event, `the one before has ${before?.version ?? 0}`));
    if (seen.has(event.event_id)) findings.push(stored('duplicate', event, 'it is stored twice'));
    seen.add(event.event_id);
    if (before && before.partition !== event.partition)
      findings.push(stored('reordered', event, 'the entity is in several partitions'));
    else if (before && before.offset >= event.offset)
      findings.push(stored('reordered', event, `the version before has the offset ${before.offset}`));
    return findings;
  });
}

/**
 * Checks that a client has sent the stored event, and that the stored version follows one of the versions that the
 * attempts expected.
 */
function judgeStored(event: ObservedEvent, attempts: readonly Attempt[]): Finding[] {
  if (attempts.length === 0) return [stored('phantom', event, 'it was never sent')];
  const findings: Finding[] = [];
  const candidates = attempts.filter(mayHaveStored);
  if (candidates.length === 0)
    findings.push(stored('refused but stored', event, 'each of its attempts was refused'));
  else if (!candidates.some((attempt) => fits(attempt, event)))
    findings.push(stored('accepted without a reason', event, `it expected ${expectations(candidates)}`));
  if (attempts.some(({ hash }) => hash !== event.hash))
    findings.push(stored('wrong data', event, 'it is not what was sent'));
  const answers = attempts.filter(isAccepted);
  if (answers.some(({ partition, offset }) => partition !== event.partition || offset < event.offset))
    findings.push(stored('wrong data', event, 'it was acknowledged at another position'));
  return findings;
}

/**
 * Checks the answers to all attempts of one event: an accepted event keeps its version, and no attempt of a stored
 * event is refused.
 */
function judgeEvent(attempts: readonly Attempt[], versions: ReadonlyMap<string, number>): Finding[] {
  const version = versions.get(attempts[0]!.event_id);
  return attempts.flatMap((attempt) => {
    if (isAccepted(attempt) && version === undefined) return [finding('lost', attempt, 'it is not stored')];
    if (isAccepted(attempt) && attempt.version !== null && attempt.version !== version)
      return [finding('wrong version', attempt, `it is stored at ${version}`)];
    if (isRefused(attempt) && version !== undefined && version <= attempt.current)
      return [finding('changed answer', attempt, `it was stored at ${version} before`)];
    return [];
  });
}

/**
 * Reports two events with the same version, if both were acknowledged, or one was stored and the other was
 * acknowledged.
 */
function judgeAnsweredVersions(attempts: readonly Attempt[], inOrder: readonly ObservedEvent[]): Finding[] {
  const holders = new Map(inOrder.map((event) => [event.version!, event.event_id]));
  return attempts.filter(isAccepted).flatMap((attempt) => {
    if (attempt.version === null) return [];
    const holder = holders.get(attempt.version);
    if (holder === undefined) holders.set(attempt.version, attempt.event_id);
    if (holder === undefined || holder === attempt.event_id) return [];
    return [finding('two at one version', attempt, `${holder} has that version`)];
  });
}

/** Checks that the events of each atomic batch are all stored, one directly after the other, or none is. */
function judgeGroups(attempts: readonly Attempt[], inOrder: readonly ObservedEvent[]): Finding[] {
  const places = new Map(inOrder.map((event, i) => [event.event_id, i]));
  const groups = new Map(attempts.map((attempt) => [attempt.group?.[0], attempt]));
  return [...groups.values()].flatMap((attempt) => {
    const found = attempt.group?.map((id) => places.get(id)) ?? [];
    const [first] = found;
    if (first === undefined && found.every((place) => place === undefined)) return [];
    const isWhole = found.every((place, i) => {
      return place === first! + i && inOrder[place]!.offset === inOrder[first!]!.offset + i;
    });
    return isWhole ? [] : [finding('half of a batch', attempt, `its events are at ${found.join()}`)];
  });
}

/** Returns the time interval in which a stored event was accepted; an empty list if no attempt explains the event. */
function acceptedAt(event: ObservedEvent, attempts: readonly Attempt[]): AcceptedOperation[] {
  const candidates = attempts.filter((attempt) => mayHaveStored(attempt) && fits(attempt, event));
  if (candidates.length === 0) return [];
  const returns = attempts.filter(isAccepted).map(({ returned }) => returned);
  return [
    {
      version: event.version!,
      invoked: Math.min(...candidates.map(({ invoked }) => invoked)),
      returned: Math.min(...returns),
      what: `version ${event.version} of ${entityOf(event)} (${event.event_id})`,
    },
  ];
}

function refusedAt(attempt: RefusedAttempt): RefusedOperation {
  const { current, invoked, returned } = attempt;
  return { current, invoked, returned, what: describe(attempt) };
}

/** Returns whether the attempt explains the version of the stored event. */
function fits({ expected }: Attempt, { version }: ObservedEvent): boolean {
  return expected === null || expected + 1 === version;
}

function expectations(attempts: readonly Attempt[]): string {
  return [...new Set(attempts.map(({ expected }) => expected))].join(' or ');
}

function finding(kind: FindingKind, attempt: Attempt, why: string): Finding {
  return { kind, detail: `${describe(attempt)}: ${why}` };
}

function stored(kind: FindingKind, event: ObservedEvent, why: string): Finding {
  const at = `${event.partition}:${event.offset}`;
  return {
    kind,
    detail: `${event.event_id}, version ${event.version} of ${entityOf(event)} at ${at}: ${why}`,
  };
}

function describe(attempt: Attempt): string {
  const { event_id, expected, invoked, returned } = attempt;
  const times = `${invoked.toFixed(1)} to ${returned.toFixed(1)} ms`;
  return `${event_id} of ${entityOf(attempt)}, expecting ${expected}, ${answerOf(attempt)}, ${times}`;
}

function answerOf(attempt: Attempt): string {
  if (isAccepted(attempt)) return `accepted at version ${attempt.version}`;
  return isRefused(attempt) ? `refused at version ${attempt.current}` : attempt.outcome;
}

function entityOf({ stream, entity_id }: { stream: string; entity_id: string | null }): string {
  return `${stream} / ${entity_id}`;
}

function groupedBy<T>(list: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one));
    if (group) group.push(one);
    else groups.set(keyOf(one), [one]);
  }
  return groups;
}
